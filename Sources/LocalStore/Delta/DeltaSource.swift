/// Brings a delta, piece by piece: the seam between what a server sends and ``DeltaApplier``.
///
/// *Use* ``JSONDeltaSource`` for the stream that this package defines. *Implement* it for any other:
///
/// - The applier calls ``begin(_:)`` once, then ``next(into:)`` until the end or an error, on one thread.
/// - The order of operations counts, between tables too.
/// - ``DeltaStep/end(_:)`` comes only when the stream has ended as it should; one that was cut off is an error, also
///   where it was cut between two rows.
/// - From ``next(into:)`` the store's writer is kept waiting, so it should have its bytes at hand: a file, or a body
///   that has come. It must not write to the target's tables: such a call throws `misuse`.
public protocol DeltaSource {
    /// Reads what comes before the rows.
    /// - Parameter target: the tables and columns that rows are read for.
    /// - Throws: ``DeltaError``.
    mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader

    /// Reads on, as far as the next operation is of the same kind and the buffer has room.
    /// - Parameter buffer: an empty buffer. Fill only the batch that the step names.
    /// - Throws: ``DeltaError``.
    mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep
}

/// What a source has read.
public enum DeltaStep: Hashable, Sendable {
    /// Rows to insert, or to update, in ``DeltaBuffer/rows``.
    case upserts(table: Int)
    /// The keys of rows to delete, in ``DeltaBuffer/keys``.
    case deletes(table: Int)
    /// The delta is complete; with the numbers of operations that it says it had, if it says so.
    case end(DeltaCounts?)
}

/// What a source fills.
public struct DeltaBuffer: Sendable {
    /// For each table of the target a batch of rows. Its first columns are those of the table; further ones are of no
    /// concern.
    public var rows: [RowBatch]
    /// For each table of the target a batch of keys, with the columns of the primary key.
    public var keys: [RowBatch]

    /// How many rows a batch may have.
    public static let maximumRowCount = 2048
    /// How many bytes a batch may have before the next row.
    public static let maximumByteCount = 1024 * 1024

    /// True when a batch is to take no further row.
    public static func isFull(_ batch: borrowing RowBatch) -> Bool {
        batch.rowCount >= maximumRowCount || batch.byteCount >= maximumByteCount
    }
}
