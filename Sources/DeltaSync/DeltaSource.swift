public import StoreCore

/// Incremental reader of a delta format, used by ``DeltaApplier``.
///
/// *Use* ``JSONDeltaSource`` for the format that this package defines. *Implement* it for another one:
///
/// - The applier calls ``begin(_:)`` once, then ``next(into:)`` until the end or an error, on one thread.
/// - Deliver operations in their order, also across tables.
/// - Return ``DeltaStep/end(_:)`` only for a complete stream; throw for a truncated one, even when it was cut between
///   two rows.
/// - ``next(into:)`` blocks the store's writer, so its bytes should be local: a file or a received body. A write to the
///   target's tables from within it throws `misuse`.
public protocol DeltaSource {
    /// Reads the header.
    /// - Parameter target: the tables and columns to read rows for.
    /// - Throws: ``DeltaError``.
    mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader

    /// Reads operations of one kind for one table, until the kind or table changes or the buffer is full.
    /// - Parameter buffer: an empty buffer. Fill only the batch that the step names.
    /// - Throws: ``DeltaError``.
    mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep
}

/// Operations read by a ``DeltaSource``. `table` is an index into ``DeltaTarget/tables``.
public enum DeltaStep: Hashable, Sendable {
    /// Rows to insert or update, in ``DeltaBuffer/rows``.
    case upserts(table: Int)
    /// Keys of rows to delete, in ``DeltaBuffer/keys``.
    case deletes(table: Int)
    /// The delta is complete; with the operation counts that the stream states, if any.
    case end(DeltaCounts?)
}

/// Batches that a ``DeltaSource`` fills, one of rows and one of keys for each table.
public struct DeltaBuffer: Sendable {
    /// One batch of rows for each table. Its first columns are those of the table; leave any further ones null.
    public var rows: [RowBatch]
    /// One batch of keys for each table, with the columns of the primary key.
    public var keys: [RowBatch]

    /// Maximum number of rows in a batch.
    public static let maximumRowCount = 2048
    /// Size in bytes at which a batch is full: 1 MiB.
    public static let maximumByteCount = 1024 * 1024

    /// True when a batch has reached one of the limits.
    public static func isFull(_ batch: borrowing RowBatch) -> Bool {
        batch.rowCount >= maximumRowCount || batch.byteCount >= maximumByteCount
    }
}
