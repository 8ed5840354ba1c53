extension StoreError {
    /// The error of a statement that gets more or fewer values than it has parameters.
    /// - Parameter subject: what has the parameters; default `statement`.
    package static func wrongParameterCount(
        _ passed: Int, expected: Int, in sql: String, of subject: String = "statement"
    ) -> StoreError {
        // An interpolated value within quotes has no parameter: its `?` is part of the text there.
        let isQuoted = passed > expected && SQLScanner.hasQuotedMark(sql)
        let advice =
            isQuoted
            ? #" A value within quotes is text and not a parameter: write '%' || \(x) || '%' instead of '%\(x)%'."# : ""
        return StoreError(
            .invalidArgument,
            "Wrong number of parameters: the \(subject) has \(expected), but \(passed) were passed.\(advice)")
    }
}
