import StoreCore
import SystemLibraries

/// Prepares the statements of a connection and collects their effects.
struct StatementCompiler: Sendable {
    let functions: SQLiteFunctions
    let authorizer: StatementAuthorizer
    let interrupter: StatementInterrupter
    private let allowsDoubleQuotedText: Bool
    private let address: UInt

    init(
        _ database: OpaquePointer?, _ functions: SQLiteFunctions, _ authorizer: StatementAuthorizer,
        _ interrupter: StatementInterrupter, allowsDoubleQuotedText: Bool
    ) {
        self.allowsDoubleQuotedText = allowsDoubleQuotedText
        self.functions = functions
        self.authorizer = authorizer
        self.interrupter = interrupter
        address = UInt(bitPattern: database)
    }

    var database: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// Prepares the only statement of a text.
    /// - Parameter isInternal: true for the store's own statements, which may do what callers' may not.
    /// - Returns: a statement that the caller must finalize, and its effects.
    func compile(_ sql: SQLText, isInternal: Bool) throws(StoreError) -> (OpaquePointer, StatementEffects) {
        let (pointer, effects) = try compileOnce(sql, isInternal: isInternal)
        if effects.definesTables, !allowsDoubleQuotedText,
            let error = DoubleQuotedText.errorInDefault(of: sql.text)
        {
            _ = functions.finalize(pointer)
            throw error
        }
        guard !isInternal, effects.mayIncludeModuleSetup else { return (pointer, effects) }
        // Its virtual tables are connected now, so a second compilation records the effects of the statement alone.
        _ = functions.finalize(pointer)
        return try compileOnce(sql, isInternal: isInternal)
    }

    /// The effects of a statement with the current schema; nil when it cannot be prepared.
    func effects(of sql: SQLText) -> StatementEffects? {
        guard let (pointer, effects) = try? compile(sql, isInternal: false) else { return nil }
        _ = functions.finalize(pointer)
        return effects
    }

    /// The error of a statement that has just failed to run.
    func failure(
        _ code: CInt, running sql: SQLText, isReadOnly: Bool, tables: Set<SQLIdentifier>
    ) -> StoreError {
        if code & 0xFF == SQLiteConstant.busy, interrupter.wait.takeEnded() { return .interrupted }
        var failure = SQLiteFailure(code, database, functions)
        if failure.isDenied, let refusal = authorizer.takeEffects().refusal { return refusal }
        // SQLite may have recompiled the statement for a changed schema and failed. Preparing it again gives that
        // error, whose message contains only names and can be shown.
        if failure.isStatementError {
            do throws(StoreError) {
                let (pointer, _) = try compileOnce(sql, isInternal: true)
                _ = functions.finalize(pointer)
            } catch { return error }
        }
        failure.isReadOnly = isReadOnly
        failure.tables = tables
        return failure.error
    }

    private func compileOnce(_ sql: SQLText, isInternal: Bool) throws(StoreError) -> (OpaquePointer, StatementEffects) {
        authorizer.reset(isInternal: isInternal)
        // NUL-terminated, so that SQLite does not need to copy the text.
        let compiled = sql.text.withCString { start in
            Result { () throws(SQLiteFailure.CompileError) in try compile(start, sql.text.utf8.count) }
        }
        // Also after a failure, so that these effects are not attributed to the next statement.
        let effects = authorizer.takeEffects()
        switch compiled {
        case .success(let pointer?): return (pointer, effects)
        case .success(nil): throw StoreError(.syntax, "Empty statement: the text contains no SQL.")
        case .failure(.multipleStatements(let offset)):
            throw StoreError(.syntax, "Multiple statements in one text; run them one by one.", offset: offset)
        case .failure(.sqlite(var failure)):
            failure.statement = sql.text
            if failure.isDenied, let refusal = effects.refusal { throw refusal }
            throw DoubleQuotedText.advising(failure.error, in: sql.text)
        }
    }

    /// - Returns: nil when the text contains no statement.
    private func compile(
        _ start: UnsafePointer<CChar>, _ count: Int
    ) throws(SQLiteFailure.CompileError) -> OpaquePointer? {
        var pointer: OpaquePointer?
        var rest = start
        var isFirst = true
        repeat {
            var next: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let left = count - (rest - start)
            let code = functions.repeatingForSchema {
                functions.prepare(database, rest, CInt(left + 1), SQLiteConstant.preparePersistent, &next, &tail)
            }
            guard code == SQLiteConstant.ok, isFirst || next == nil else {
                let failure: SQLiteFailure.CompileError =
                    isFirst
                    ? .sqlite(SQLiteFailure(code, database, functions, compiledFrom: rest - start))
                    : .multipleStatements(at: rest - start)
                _ = functions.finalize(next)
                _ = functions.finalize(pointer)
                throw failure
            }
            if isFirst { pointer = next }
            // The rest may be white space or a comment.
            isFirst = pointer == nil && next == nil
            guard let tail, tail > rest else { break }
            rest = tail
        } while rest - start < count
        return pointer
    }
}
