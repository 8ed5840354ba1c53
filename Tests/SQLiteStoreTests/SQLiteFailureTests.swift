import SystemLibraries
import Testing

@testable import LocalStore
@testable import SQLiteStore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteFailureTests {
    /// As for a protected file on a locked device.
    @Test func `denied file access is an IO error`() throws {
        let functions = try SQLiteFunctions.system.get()
        let connection = try SQLiteConnection(
            path: ":memory:", flags: SQLiteConstant.openReadWrite, busyTimeout: .seconds(1), statementCacheSize: 8,
            StoreInterrupts(), functions)
        let code = SQLiteConstant.notAuthorized
        let compiling = SQLiteFailure(code, connection.database, functions, compiledFrom: 0).error
        #expect(compiling.code == .unsupportedSQL && compiling.feature != nil)
        let running = SQLiteFailure(code, connection.database, functions).error
        #expect(running.code == .io && running.feature == nil && running.engineCode == 23)
        let opening = SQLiteFailure.opening("/data/db", code, functions)
        #expect(opening.code == .io && opening.message.contains("access to the database file denied: /data/db;"))
    }
}
