extension SQLiteStore {
    /// Record of a statement that ran; see ``Configuration/trace``.
    public struct StatementTrace: Hashable, Sendable {
        /// The statement without comments, with each string, blob and number replaced by `…`; it contains no value.
        ///
        /// Text in double quotes is shown when it names a table or a column; other such text may be a value.
        public let sql: String
        /// The time from its start to its end, including the row callbacks.
        public let duration: Duration
        /// The number of rows that it returned; for a batch the number of the batch's rows.
        public let rowCount: Int
    }
}
