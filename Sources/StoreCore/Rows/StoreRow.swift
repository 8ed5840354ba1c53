public import Foundation

/// Borrowed row of a result set; cells are copied only on request.
///
/// It is noncopyable and borrowed, so it cannot outlive the callback it is passed to. Reads convert nothing, except an
/// integer read as a double; use `CAST` in the statement. Reading an index out of range gives null.
/// ``value(of:at:coding:)-(_,String,_)`` reads a cell by name and as another type, ``decode(_:coding:)`` a whole row.
///
/// ```swift
/// try store.query("SELECT id, label FROM jack") { row in
///     print(row.int64(at: 0) ?? 0, row.text(at: 1) ?? "")
///     return true
/// }
/// ```
public struct StoreRow: ~Copyable {
    enum Source {
        case cells(UnsafeBufferPointer<StoreCell>)
        case columns(UnsafePointer<ColumnCursor>)
        case statement(SQLiteRow)
    }

    /// The names of the columns, in order; not necessarily unique.
    public let columnNames: [String]
    /// The number of columns.
    public let columnCount: Int
    let source: Source
    /// Owner of the cells; nil when they are borrowed.
    private let owner: RowCells?

    /// A row over cells, one for each name. They must stay valid until the row has been read.
    package init(columnNames: [String], cells: UnsafeBufferPointer<StoreCell>) {
        self.columnNames = columnNames
        columnCount = cells.count
        source = .cells(cells)
        owner = nil
    }

    /// Creates a row of values, for a store of your own.
    /// - Parameter values: one for each column. A missing one is null, and so is NaN; further ones are ignored.
    public init(columnNames: [String], values: [StoreValue]) {
        let cells = RowCells(values.prefix(columnNames.count), count: columnNames.count)
        self.columnNames = columnNames
        columnCount = columnNames.count
        source = .cells(UnsafeBufferPointer(cells.cells))
        owner = cells
    }

    /// The current row of a cursor; it follows the cursor. The pointer must stay valid until the rows have been read.
    package init(columnNames: [String], _ cursor: UnsafePointer<ColumnCursor>) {
        self.columnNames = columnNames
        columnCount = columnNames.count
        source = .columns(cursor)
        owner = nil
    }

    /// The current row of an SQLite statement; it follows the statement.
    package init(columnNames: [String], _ row: SQLiteRow) {
        self.columnNames = columnNames
        columnCount = columnNames.count
        source = .statement(row)
        owner = nil
    }

    /// The storage class of a cell.
    /// - Parameter index: the column's index, from 0. The other reads take the same.
    public func kind(at index: Int) -> StoreValue.Kind {
        guard index >= 0, index < columnCount else { return .null }
        return switch source {
        case .cells(let cells): cells[index].kind
        case .columns(let cursor): cursor.pointee.cell(at: index).kind
        case .statement(let row): row.kind(at: index)
        }
    }

    /// True when a cell is null, or the index is out of range.
    public func isNull(at index: Int) -> Bool { kind(at: index) == .null }

    /// The integer in a cell; nil for any other class.
    public func int64(at index: Int) -> Int64? {
        let cell = cell(at: index)
        return cell.kind == .integer ? Int64(bitPattern: cell.bits) : nil
    }

    /// The number in a cell, converting an integer; nil for any other class.
    public func double(at index: Int) -> Double? {
        let cell = cell(at: index)
        return switch cell.kind {
        case .real: Double(bitPattern: cell.bits)
        case .integer: Double(Int64(bitPattern: cell.bits))
        default: nil
        }
    }

    /// The text in a cell; nil for any other class. Invalid UTF-8 becomes U+FFFD.
    public func text(at index: Int) -> String? {
        let cell = cell(at: index)
        return cell.kind == .text ? String(decoding: cell.bytes, as: UTF8.self) : nil
    }

    /// A copy of the blob in a cell; nil for any other class.
    public func blob(at index: Int) -> Data? {
        let cell = cell(at: index)
        return cell.kind == .blob ? Data(cell.bytes) : nil
    }

    /// Passes the bytes of a text or a blob to `body`, without a copy.
    /// - Parameter body: reads the bytes, which are valid until it returns.
    /// - Returns: the result of `body`; nil when the cell is neither text nor blob.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let bytes = bytes(at: index) else { return nil }
        return try body(bytes)
    }

    @usableFromInline
    func bytes(at index: Int) -> UnsafeRawBufferPointer? {
        let cell = cell(at: index)
        return cell.kind == .text || cell.kind == .blob ? cell.bytes : nil
    }

    /// A copy of a cell.
    public func value(at index: Int) -> StoreValue {
        let cell = cell(at: index)
        return switch cell.kind {
        case .null: .null
        case .integer: .integer(Int64(bitPattern: cell.bits))
        case .real: .real(Double(bitPattern: cell.bits))
        case .text: .text(String(decoding: cell.bytes, as: UTF8.self))
        case .blob: .blob(Data(cell.bytes))
        }
    }

    /// A copy of all cells.
    public var values: [StoreValue] { (0..<columnCount).map { value(at: $0) } }

    /// Copies the rows of a query.
    /// - Parameter query: passes each row to `each`.
    static func copies(
        of query: (_ each: (borrowing StoreRow) throws -> Bool) throws -> Void
    ) rethrows -> [[StoreValue]] {
        var rows: [[StoreValue]] = []
        try query { row in
            rows.append(row.values)
            return true
        }
        return rows
    }

    /// A borrowed cell.
    @inline(__always)
    package func cell(at index: Int) -> StoreCell {
        index >= 0 && index < columnCount ? source.cell(at: index) : .null
    }
}

extension StoreRow.Source {
    /// A borrowed cell; the index must be valid.
    @inline(__always)
    func cell(at index: Int) -> StoreCell {
        switch self {
        case .cells(let cells): cells[index]
        case .columns(let cursor): cursor.pointee.cell(at: index)
        case .statement(let row): row.cell(at: index)
        }
    }
}
