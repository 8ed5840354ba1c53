public import Foundation
import JSON
import StoreCore

/// Incremental parser for a JSON list of rows; buffers at most one incomplete row between chunks.
///
/// ```swift
/// var parser = try RowStreamParser(columns: ["id", "label"])
/// for chunk in chunks {
///     parser.push(chunk)
///     while try parser.read(into: &batch, atMost: 1024) > 0 { try store(&batch) }
/// }
/// parser.finish()
/// _ = try parser.read(into: &batch)
/// ```
///
/// Parsing is strict (RFC 8259); rows and errors do not depend on how the stream is split into chunks. In a row:
///
/// - Columns may come in any order, and a missing one is null. Names are compared bytewise.
/// - An integer that fits 64 bits is exact. Any other number, and `-0`, is the nearest `Double`; one out of its range,
///   such as `1e400`, is an error.
/// - `true` and `false` become 1 and 0, as in SQL.
/// - A list or an object becomes its JSON text, unchanged and including white space, at most 100 levels deep.
/// - An unknown column is an error unless `ignoresUnknownColumns` is set; a duplicate column always is.
public struct RowStreamParser: Sendable {
    /// Format of a row.
    @nonexhaustive public enum Shape: Hashable, Sendable {
        /// An object with one member a column.
        case objects
        /// A list of all cells, in column order.
        case lists
    }

    /// Default maximum length of a row: 16 MiB.
    public static let defaultMaximumRowLength = 16 * 1024 * 1024

    /// Position in the list.
    ///
    /// ```
    /// start -> firstRowOrEnd -> row -> commaOrEnd -> row ...
    ///          firstRowOrEnd -> end    commaOrEnd -> end
    /// ```
    private enum Position {
        case start, firstRowOrEnd, row, commaOrEnd, end
    }

    private struct State {
        var position = Position.start
        var layout: JSONRowLayout
    }

    private var buffer: ScanBuffer
    private var state: State
    private let columnCount: Int

    /// Creates a parser.
    /// - Parameters:
    ///   - columns: the unique names of the columns, in the order of the sink's cells.
    ///   - shape: the format of a row; default an object.
    ///   - ignoresUnknownColumns: true to skip columns that are not in `columns`; default false.
    ///   - maximumRowLength: maximum bytes of a row; default 16 MiB.
    /// - Throws: ``DeltaError`` (`duplicateColumn`) when a name occurs twice.
    public init(
        columns: [String], shape: Shape = .objects, ignoresUnknownColumns: Bool = false,
        maximumRowLength: Int = defaultMaximumRowLength
    ) throws(DeltaError) {
        var names: Set<[UInt8]> = []
        for column in columns where !names.insert(Array(column.utf8)).inserted {
            throw DeltaError(.duplicateColumn, "Duplicate column name: \(column).")
        }
        buffer = ScanBuffer(maximumLength: maximumRowLength)
        columnCount = columns.count
        state = State(
            layout: JSONRowLayout(
                columns: columns, shape: shape == .objects ? .objects : .lists,
                ignoresUnknownColumns: ignoresUnknownColumns))
    }

    /// Appends the next bytes of the stream, split anywhere; 64 KiB at a time is a good size.
    public mutating func push(_ bytes: Data) { buffer.push(bytes) }

    /// Reads the complete rows received so far.
    /// - Parameters:
    ///   - sink: receives the rows.
    ///   - limit: maximum number of rows to read.
    /// - Returns: the number of rows read; 0 when more bytes are needed, or when the list has ended.
    /// - Throws: ``DeltaError``: `malformed`, `rowTooLarge`, `unknownColumn`, `duplicateColumn`; `truncated` after
    ///   ``finish()``; `store` with the error of the sink. The rows before the error were delivered.
    public mutating func read(into sink: inout some RowSink, atMost limit: Int = .max) throws(DeltaError) -> Int {
        var rows = 0
        var sinkError: StoreError?
        _ = try buffer.scan(&state, cellCount: columnCount) { (scanner, cells, state) throws(JSONScanner.Stop) in
            while rows < limit, sinkError == nil, try Self.advance(&scanner, cells, &state) {
                rows += 1
                do throws(StoreError) {
                    try cells.appendRow(state.layout.columnCount, to: &sink)
                } catch {
                    sinkError = error
                }
            }
        }
        if let sinkError { throw DeltaError(store: sinkError) }
        return rows
    }

    /// Marks the end of the stream. Rows already received can still be read.
    public mutating func finish() { buffer.finish() }

    /// True when the whole list has been read.
    public var isComplete: Bool { state.position == .end }

    /// Reads the next row.
    /// - Returns: false at the end of the list.
    private static func advance(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, _ state: inout State
    ) throws(JSONScanner.Stop) -> Bool {
        while true {
            scanner.commitWhitespace()
            switch state.position {
            case .start:
                guard scanner.take("[") else { throw scanner.stop(.list) }
                state.position = .firstRowOrEnd
            case .firstRowOrEnd:
                guard !scanner.isAtEnd else { throw scanner.stop(.rowOrEnd) }
                state.position = scanner.take("]") ? .end : .row
            case .row:
                try scanner.row(&state.layout, into: cells.buffer)
                try scanner.commit()
                state.position = .commaOrEnd
                return true
            case .commaOrEnd:
                if scanner.take(",") {
                    state.position = .row
                } else if scanner.take("]") {
                    state.position = .end
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
