import DeltaSync
import Foundation
import StoreCore

/// Delta for `DeltaApplier` from a response with tables.
///
/// A full load is read as it arrives. A delta lists its deletions after its rows, but they are applied first. It is
/// received into a temporary file and read twice, so that a wait for the network does not block the store's writer.
struct TableResponseSource: DeltaSource {
    private let header: DeltaHeader
    private var reader: TableResponseReader
    private var pass: TableResponseParser.Pass
    private let onBatch: (_ rows: Int) -> Void

    /// - Parameters:
    ///   - header: the versions of the response.
    ///   - onBatch: called with the number of rows or deletions of each batch, on the thread of the load.
    init(_ header: DeltaHeader, _ reader: TableResponseReader, onBatch: @escaping (_ rows: Int) -> Void = { _ in }) {
        self.header = header
        self.reader = reader
        self.onBatch = onBatch
        pass = header.baseVersion == nil ? .rows : .deletions
    }

    /// Returns the header. A delta is received here, before the store's transaction.
    mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader {
        if pass == .deletions { try reader.spool() }
        return header
    }

    /// Reads deletions, then rows.
    mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep {
        while true {
            switch try reader.next(pass, rows: &buffer.rows, keys: &buffer.keys) {
            case .rows(let table):
                onBatch(buffer.rows[table].rowCount)
                return .upserts(table: table)
            case .deletions(let table):
                onBatch(buffer.keys[table].rowCount)
                return .deletes(table: table)
            case .end:
                guard pass == .deletions else { return .end(nil) }
                pass = .rows
                reader.rewind()
            }
        }
    }
}
