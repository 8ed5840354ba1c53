/// Runs queries on one snapshot of a store; see `LocalStore.read(_:)`.
///
/// It is noncopyable and borrowed, so it cannot outlive the body it is passed to. Use it on that body's thread; pass it
/// to functions as `borrowing`. A row callback may run another query.
///
/// ```swift
/// try store.read { reader in
///     try reader.query("SELECT id, label FROM jack") { jack in
///         try reader.query("SELECT length FROM cable WHERE jack = ?", [.integer(jack.int64(at: 0) ?? 0)]) { cable in
///             print(jack.text(at: 1) ?? "", cable.double(at: 0) ?? 0)
///             return true
///         }
///         return true
///     }
/// }
/// ```
public struct StoreReader: ~Copyable {
    private let prepare: (_ sql: String) throws(StoreError) -> PreparedQuery
    /// Notes the tables of each query; nil for none.
    private let recorder: TableRecorder?

    /// Creates a reader for a store of your own, which passes it to the body of its `LocalStore.read(_:)`.
    /// - Parameter prepare: prepares a statement for the snapshot; throws what `query(_:_:each:)` throws, except the
    ///   errors of running it. It is called on the body's thread, also while another query passes its rows.
    public init(prepare: @escaping (_ sql: String) throws(StoreError) -> PreparedQuery) {
        self.init(recorder: nil, prepare: prepare)
    }

    private init(
        recorder: TableRecorder?, prepare: @escaping (_ sql: String) throws(StoreError) -> PreparedQuery
    ) {
        self.prepare = prepare
        self.recorder = recorder
    }

    /// A reader of the same snapshot that notes the tables of its queries; valid as long as this one.
    func recording(in recorder: TableRecorder) -> StoreReader { StoreReader(recorder: recorder, prepare: prepare) }

    /// Runs one read-only statement and passes each row to a callback.
    /// - Parameters:
    ///   - sql: one statement, with `?` or `?1` for each parameter.
    ///   - parameters: one value for each parameter.
    ///   - each: reads a row; false ends the query.
    /// - Throws: what ``LocalStore/query(_:_:each:)`` throws; ``StoreError`` `misuse` for a statement that writes, or
    ///   that depends on the last write, such as `last_insert_rowid()`.
    @inlinable
    public func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try prepared(sql).query(parameters, each: each)
    }

    /// Prepares a read-only statement for `body`, which may run it many times without a cache lookup.
    /// - Parameter sql: one statement, with `?` for each parameter; nothing else, since the values are passed later.
    /// - Throws: what `query(_:_:each:)` throws, and what `body` throws; ``StoreError`` `invalidArgument` when `sql`
    ///   has values.
    public func prepare<Result>(
        _ sql: SQL, _ body: (borrowing PreparedQuery) throws -> Result
    ) throws -> Result {
        guard sql.parameters.isEmpty else {
            throw StoreError(
                .invalidArgument, "Prepared statement has values; write ? for each, and pass them to its queries.")
        }
        return try body(prepared(sql.text))
    }

    @usableFromInline
    func prepared(_ sql: String) throws(StoreError) -> PreparedQuery {
        guard let recorder else { return try prepare(sql) }
        let query = try prepare(sql)
        recorder.record(query.tablesRead)
        return query
    }

    package static let writeRefused = StoreError(
        .misuse, "Statement writes, or depends on the last write, so a StoreReader cannot run it; run it on the store.")
}
