import SystemLibraries

/// Compiles the statements of a connection, and listens to what they would do.
struct StatementCompiler: Sendable {
    let functions: SQLiteFunctions
    let audit: StatementAudit
    private let address: UInt

    init(_ database: OpaquePointer?, _ functions: SQLiteFunctions, _ audit: StatementAudit) {
        self.functions = functions
        self.audit = audit
        address = UInt(bitPattern: database)
    }

    var database: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// Compiles the only statement of a text.
    /// - Parameter isOwn: true for a statement of the store's own, which may do what a caller's may not.
    /// - Returns: a statement to be finalized, and its effects.
    func compile(_ sql: SQLText, isOwn: Bool) throws(StoreError) -> (OpaquePointer, StatementEffects) {
        let (pointer, effects) = try compileOnce(sql, isOwn: isOwn)
        guard !isOwn, effects.mayBeOfModules else { return (pointer, effects) }
        // Virtual tables are connected now, so that what is heard the second time is of the statement alone.
        _ = functions.finalize(pointer)
        return try compileOnce(sql, isOwn: isOwn)
    }

    /// What a statement would do as the schema is now; nil when it cannot be compiled.
    func effects(of sql: SQLText) -> StatementEffects? {
        guard let (pointer, effects) = try? compile(sql, isOwn: false) else { return nil }
        _ = functions.finalize(pointer)
        return effects
    }

    /// The failure of a statement that has just failed to run.
    func failure(_ code: CInt, running sql: SQLText, isReading: Bool) -> StoreError {
        var failure = SQLiteFailure(code, database, functions)
        if failure.isDenied, let refusal = audit.end().refusal { return refusal }
        // SQLite compiles a statement anew for another schema, while it runs. Only what it says then is about names.
        if failure.isOfStatement {
            do throws(StoreError) {
                let (pointer, _) = try compileOnce(sql, isOwn: true)
                _ = functions.finalize(pointer)
            } catch { return error }
        }
        failure.isReading = isReading
        return failure.error
    }

    private func compileOnce(_ sql: SQLText, isOwn: Bool) throws(StoreError) -> (OpaquePointer, StatementEffects) {
        audit.begin(isOwn: isOwn)
        // With its NUL, so that SQLite need not copy it.
        let compiled = sql.text.withCString { start in
            Result { () throws(SQLiteFailure.Compiling) in try compile(start, sql.text.utf8.count) }
        }
        // Also when it failed: what it would have done is not what the next one does.
        let effects = audit.end()
        switch compiled {
        case .success(let pointer?): return (pointer, effects)
        case .success(nil): throw StoreError(.syntax, "The text holds no statement.")
        case .failure(.several(let offset)):
            throw StoreError(.syntax, "The text holds more than one statement; run them one by one.", offset: offset)
        case .failure(.sqlite(let failure)):
            if failure.isDenied, let refusal = effects.refusal { throw refusal }
            throw failure.error
        }
    }

    /// - Returns: nil when there is no statement.
    private func compile(
        _ start: UnsafePointer<CChar>, _ count: Int
    ) throws(SQLiteFailure.Compiling) -> OpaquePointer? {
        var pointer: OpaquePointer?
        var rest = start
        var isFirst = true
        repeat {
            var next: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let left = count - (rest - start)
            let code = functions.prepare(
                database, rest, CInt(left + 1), SQLiteConstant.preparePersistent, &next, &tail)
            guard code == SQLiteConstant.ok, isFirst || next == nil else {
                let failure: SQLiteFailure.Compiling =
                    isFirst
                    ? .sqlite(SQLiteFailure(code, database, functions, compiledFrom: rest - start))
                    : .several(at: rest - start)
                _ = functions.finalize(next)
                _ = functions.finalize(pointer)
                throw failure
            }
            if isFirst { pointer = next }
            // What follows may be white space or a comment.
            isFirst = pointer == nil && next == nil
            guard let tail, tail > rest else { break }
            rest = tail
        } while rest - start < count
        return pointer
    }
}
