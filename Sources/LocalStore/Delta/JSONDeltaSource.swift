public import Foundation

/// Reads a delta from a stream of JSON: one list, whose elements are read one by one.
///
/// ```json
/// [{"resource": "jacks", "from": "3", "to": "4"},
///  {"table": "jack", "key": ["id"]},
///  {"upsert": {"id": 7, "label": "plate"}},
///  {"delete": [6]},
///  {"end": {"upserts": 1, "deletes": 1}}]
/// ```
///
/// - The first element is the ``DeltaHeader``: `to`, and `from` unless the stream holds all rows (or null says so);
///   `resource` and `more`, a boolean, may be left out.
/// - `table` names the table of the operations that follow; `key` may repeat its primary key, and is then compared.
/// - `upsert` has a row, as ``RowStreamParser`` reads it. A column that is left out is null.
/// - `delete` has the values of the key, in the order of the primary key.
/// - `end` is the last element, with the number of operations of each kind.
///
/// Operations count in their order. A member that is not named here is an error.
public struct JSONDeltaSource: DeltaSource {
    private var buffer: ScanBuffer
    private var elements = DeltaElements(nil)
    private let nextPiece: () throws -> Data?

    /// A source.
    /// - Parameters:
    ///   - maximumRowLength: the most bytes of a row, and of the header.
    ///   - nextPiece: gives the next bytes, cut anywhere, 64 KiB or so at a time; nil at the end.
    public init(
        maximumRowLength: Int = RowStreamParser.standardMaximumRowLength, nextPiece: @escaping () throws -> Data?
    ) {
        buffer = ScanBuffer(maximumLength: maximumRowLength)
        self.nextPiece = nextPiece
    }

    /// A source over bytes that have come.
    public init(_ bytes: Data, maximumRowLength: Int = RowStreamParser.standardMaximumRowLength) {
        var rest = bytes
        self.init(maximumRowLength: maximumRowLength) {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(64 * 1024) }
            return rest.prefix(64 * 1024)
        }
    }

    /// Reads the header.
    /// - Throws: ``DeltaError``: `malformed`, `truncated`, `rowTooLarge`; `source` with what `nextPiece` threw.
    public mutating func begin(_ target: DeltaTarget) throws(DeltaError) -> DeltaHeader {
        elements = DeltaElements(target)
        return try read { (scanner, elements) throws(JSONScanner.Stop) in try elements.header(&scanner) }
    }

    /// Reads on.
    /// - Throws: ``DeltaError``: what ``begin(_:)`` throws; `unknownTable`, `mismatch`, `unknownOperation`,
    ///   `unknownColumn`, `duplicateColumn`, `missingKey`; `store` when a batch can take no more.
    public mutating func next(into buffer: inout DeltaBuffer) throws(DeltaError) -> DeltaStep {
        let step = try read { (scanner, elements) throws(JSONScanner.Stop) in
            try elements.next(&scanner, into: &buffer)
        }
        if let refusal = elements.refusal { throw DeltaError(store: refusal) }
        return step
    }

    /// Reads with as many pieces as it takes.
    private mutating func read<Result>(
        _ body: (inout JSONScanner, inout DeltaElements) throws(JSONScanner.Stop) -> Result
    ) throws(DeltaError) -> Result {
        while true {
            elements.isLastPiece = buffer.isFinished
            let cellCount = elements.cellCount
            if let result = try buffer.scan(&elements, cellCount: cellCount, body) { return result }
            do {
                if let piece = try nextPiece() { buffer.push(piece) } else { buffer.finish() }
            } catch {
                throw DeltaError(.source, "Reading the delta failed; see `underlying`.", underlying: error)
            }
        }
    }
}
