extension LocalStore {
    /// Runs the statements of a text, separated by semicolons, in one transaction: all or none.
    ///
    /// ```swift
    /// try store.executeScript("""
    ///     CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT);   -- a comment
    ///     INSERT INTO note (title) VALUES (\(title));
    ///     """)
    /// try store.executeScript(SQL(verbatim: textOfAFile))
    /// ```
    ///
    /// Result sets are discarded. Semicolons in texts, quoted names, comments and the body of a trigger separate
    /// nothing. The statements take the parameters in order.
    /// - Throws: ``StoreError``: what ``execute(_:_:)`` throws, with the offset in the whole text; `invalidArgument`
    ///   when the number of parameters is wrong.
    public func executeScript(_ script: SQL) throws(StoreError) {
        let statements = SQLScript(script.text).statements
        let expected = statements.reduce(0) { $0 + $1.parameterCount }
        guard expected == script.parameters.count else {
            throw .wrongParameterCount(script.parameters.count, expected: expected, in: script.text, of: "script")
        }
        try rethrowingStoreErrors {
            try transaction {
                var parameters = script.parameters[...]
                for statement in statements {
                    try run(statement, Array(parameters.prefix(statement.parameterCount)))
                    parameters = parameters.dropFirst(statement.parameterCount)
                }
            }
        }
    }

    private func run(_ statement: SQLScript.Statement, _ parameters: [StoreValue]) throws(StoreError) {
        do throws(StoreError) {
            try execute(statement.text, parameters)
        } catch {
            var error = error
            error.offset = statement.offset + (error.offset ?? 0)
            throw error
        }
    }
}
