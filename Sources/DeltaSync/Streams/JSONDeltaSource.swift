public import Foundation
import JSON
import StoreCore

/// Reads a delta from a JSON stream: one list, parsed element by element.
///
/// ```json
/// [{"resource": "jacks", "from": "3", "to": "4"},
///  {"table": "jack", "key": ["id"]},
///  {"upsert": {"id": 7, "label": "plate"}},
///  {"delete": [6]},
///  {"end": {"upserts": 1, "deletes": 1}}]
/// ```
///
/// - The first element is the ``DeltaHeader``: `to` is the target version, `from` the base version (missing or null for
///   a full load); `resource` and the boolean `more` are optional.
/// - `table` selects the table of the following operations; its optional `key` must equal the primary key.
/// - `upsert` has a row, as ``RowStreamParser`` reads it. A missing column is null.
/// - `delete` has the key values of one row, in the order of the primary key. Each deleted row has its element.
/// - `end` is the last element, with the number of operations of each kind.
///
/// Operations are applied in their order. An unknown member is an error.
public struct JSONDeltaSource: DeltaSource {
    private var reader: JSONDeltaReader
    private let nextChunk: () throws -> Data?

    /// Creates a source.
    /// - Parameters:
    ///   - maximumRowLength: maximum bytes of a row, and of the header; default 16 MiB.
    ///   - nextChunk: returns the next bytes, split anywhere, about 64 KiB at a time; nil at the end.
    public init(
        maximumRowLength: Int = RowStreamParser.defaultMaximumRowLength, nextChunk: @escaping () throws -> Data?
    ) {
        reader = JSONDeltaReader(maximumRowLength: maximumRowLength)
        self.nextChunk = nextChunk
    }

    /// Creates a source over a complete body.
    public init(_ bytes: Data, maximumRowLength: Int = RowStreamParser.defaultMaximumRowLength) {
        var rest = bytes
        self.init(maximumRowLength: maximumRowLength) {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(64 * 1024) }
            return rest.prefix(64 * 1024)
        }
    }

    /// Reads the header.
    /// - Throws: ``DeltaError``: `malformed`, `truncated`, `rowTooLarge`; `source` with the error of `nextChunk`.
    public mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader {
        reader.begin(target)
        while true {
            if let header = try reader.header() { return header }
            try readChunk()
        }
    }

    /// Reads the next operations.
    /// - Throws: ``DeltaError``: what ``begin(_:)`` throws; `unknownTable`, `mismatch`, `unknownOperation`,
    ///   `unknownColumn`, `duplicateColumn`, `missingKey`; `store` when a batch is full (4 GiB).
    public mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep {
        while true {
            if let step = try reader.next(into: &buffer) { return step }
            try readChunk()
        }
    }

    private mutating func readChunk() throws(DeltaError) {
        do {
            if let chunk = try nextChunk() { reader.push(chunk) } else { reader.finish() }
        } catch {
            throw DeltaError.source("Reading the delta failed", error)
        }
    }
}
