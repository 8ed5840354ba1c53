import Foundation

@testable import DeltaSync
@testable import StoreCore

/// Rows or error that a parser produced from a stream.
struct ReadRows: Equatable {
    var rows: [[StoreValue]] = []
    var code: DeltaError.Code?
    var offset: Int?
    var message: String?

    /// Reads a stream in chunks of the given size.
    init(
        _ stream: Data, columns: [String] = ["a", "b", "c"], chunkSize: Int = .max,
        shape: RowStreamParser.Shape = .objects,
        ignoring: Bool = false, maximumRowLength: Int = RowStreamParser.defaultMaximumRowLength
    ) throws {
        var parser = try RowStreamParser(
            columns: columns, shape: shape, ignoresUnknownColumns: ignoring, maximumRowLength: maximumRowLength)
        var batch = try RowBatch(columns: columns.map { SQLIdentifier($0) })
        do throws(DeltaError) {
            var rest = stream[...]
            while !rest.isEmpty {
                parser.push(Data(rest.prefix(chunkSize)))
                rest = rest.dropFirst(chunkSize)
                while try parser.read(into: &batch, atMost: 2) > 0 {}
            }
            parser.finish()
            while try parser.read(into: &batch) > 0 {}
        } catch {
            (code, offset, message) = (error.code, error.offset, error.message)
        }
        rows = (0..<batch.rowCount).map { row in columns.indices.map { batch.value(row: row, column: $0) } }
    }

    init(
        _ text: String, columns: [String] = ["a", "b", "c"], shape: RowStreamParser.Shape = .objects
    ) throws {
        try self.init(Data(text.utf8), columns: columns, shape: shape)
    }

    var isComplete: Bool { code == nil }
}
