public import Foundation

/// Reads rows from a list of JSON as its bytes come, however they are cut, and keeps no more than one row of them.
///
/// ```swift
/// var parser = try RowStreamParser(columns: ["id", "label"])
/// for piece in pieces {
///     parser.push(piece)
///     while try parser.read(into: &batch, atMost: 1024) > 0 { try handOver(&batch) }
/// }
/// parser.finish()
/// _ = try parser.read(into: &batch)
/// ```
///
/// It is strict (RFC 8259): the rows that it gives, and the error that it ends with, depend on the bytes alone. In a
/// row:
///
/// - Columns may come in any order, and a column that is not there is null. The names are compared byte by byte.
/// - A whole number that fits 64 bits is exact. Any other number is the nearest `Double`, `-0` too; one that no `Double`
///   can hold, as `1e400`, is an error.
/// - `true` and `false` are 1 and 0, which is what SQL has for them.
/// - A list or an object is its JSON text, byte for byte as it was sent, white space included. It may be nested 100
///   levels deep.
/// - A column that is not known is an error unless the parser is told to ignore those; one that comes twice always is.
public struct RowStreamParser: Sendable {
    /// How a row is written.
    public enum Shape: Hashable, Sendable {
        /// As an object, with a member for each column.
        case objects
        /// As a list of the cells of all columns, in their order.
        case lists
    }

    /// How many bytes a row may have when nothing else is said: 16 MiB.
    public static let standardMaximumRowLength = 16 * 1024 * 1024

    private enum Place {
        case start, firstRowOrEnd, row, commaOrEnd, end
    }

    private struct State {
        var place = Place.start
        var layout: RowLayout
    }

    private var buffer: ScanBuffer
    private var state: State
    private let columnCount: Int

    /// A parser at the start of a stream.
    /// - Parameters:
    ///   - columns: the names of the columns, in the order of the sink's cells; each once.
    ///   - shape: how a row is written; default as an object.
    ///   - ignoresUnknownColumns: true to pass over columns that are not in `columns`; default false.
    ///   - maximumRowLength: the most bytes of a row.
    /// - Throws: ``DeltaError`` (`duplicateColumn`) when a name is there twice.
    public init(
        columns: [String], shape: Shape = .objects, ignoresUnknownColumns: Bool = false,
        maximumRowLength: Int = standardMaximumRowLength
    ) throws(DeltaError) {
        var names: Set<[UInt8]> = []
        for column in columns where !names.insert(Array(column.utf8)).inserted {
            throw DeltaError(.duplicateColumn, "Duplicate column name: \(column).")
        }
        buffer = ScanBuffer(maximumLength: maximumRowLength)
        columnCount = columns.count
        state = State(
            layout: RowLayout(
                names: ColumnNames(columns), shape: shape, ignoresUnknownColumns: ignoresUnknownColumns))
    }

    /// Adds the next bytes of the stream, cut anywhere. They are kept until they are read; 64 KiB at a time is a good
    /// measure.
    public mutating func push(_ bytes: Data) { buffer.push(bytes) }

    /// Reads rows that have come.
    /// - Parameters:
    ///   - sink: takes the rows.
    ///   - limit: how many rows to read at most.
    /// - Returns: how many rows were read; 0 when more bytes are needed, or when the list has ended.
    /// - Throws: ``DeltaError``: `malformed`, `rowTooLarge`, `unknownColumn`, `duplicateColumn`; `truncated` after
    ///   ``finish()``; `store` with what the sink threw. The rows before were handed over, and no other follows.
    public mutating func read(into sink: inout some RowSink, atMost limit: Int = .max) throws(DeltaError) -> Int {
        var rows = 0
        var refusal: StoreError?
        _ = try buffer.scan(&state, cellCount: columnCount) { (scanner, state) throws(JSONScanner.Stop) in
            while rows < limit, refusal == nil, try Self.advance(&scanner, &state) {
                rows += 1
                do throws(StoreError) {
                    try scanner.handOver(state.layout.names.count, to: &sink)
                } catch {
                    refusal = error
                }
            }
        }
        if let refusal { throw DeltaError(store: refusal) }
        return rows
    }

    /// Says that the stream has ended. What has come and was not read still can be.
    public mutating func finish() { buffer.finish() }

    /// True when the list, and everything behind it that has come, was read.
    public var isComplete: Bool { state.place == .end }

    /// Goes to the end of the next row.
    /// - Returns: false when the list has ended.
    private static func advance(
        _ scanner: inout JSONScanner, _ state: inout State
    ) throws(JSONScanner.Stop) -> Bool {
        while true {
            scanner.commitBlanks()
            switch state.place {
            case .start:
                guard scanner.take("[") else { throw scanner.stop(.list) }
                state.place = .firstRowOrEnd
            case .firstRowOrEnd:
                guard !scanner.isAtEnd else { throw scanner.stop(.rowOrEnd) }
                state.place = scanner.take("]") ? .end : .row
            case .row:
                try scanner.row(&state.layout)
                try scanner.commit()
                state.place = .commaOrEnd
                return true
            case .commaOrEnd:
                if scanner.take(",") {
                    state.place = .row
                } else if scanner.take("]") {
                    state.place = .end
                } else {
                    throw scanner.stop(.commaOrBracket)
                }
            case .end:
                guard scanner.isAtEnd else { throw scanner.stop(.nothing) }
                return false
            }
        }
    }
}

extension JSONScanner {
    /// Hands the cells of the row that was read to a sink.
    package func handOver(_ count: Int, to sink: inout some RowSink) throws(StoreError) {
        sink.beginRow()
        for column in 0..<count {
            switch cells[column] {
            case .missing, .null: break
            case .integer(let value): try sink.set(integer: value, at: column)
            case .real(let value): try sink.set(real: value, at: column)
            case .text(let bytes): try sink.set(utf8: UnsafeRawBufferPointer(bytes), at: column)
            }
        }
    }
}
