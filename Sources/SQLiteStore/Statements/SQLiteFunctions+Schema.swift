import SystemLibraries

extension SQLiteFunctions {
    /// Calls SQLite again while it fails because another connection has changed the schema.
    ///
    /// SQLite does so itself, but gives up early: it compiles a statement twice, and ends a run whose recompilation
    /// fails for that reason. Here as many calls are made as SQLite makes for a run.
    func repeatingForSchema(_ call: () -> CInt) -> CInt {
        var code = call()
        for _ in 0..<50 where code == SQLiteConstant.schema { code = call() }
        return code
    }
}
