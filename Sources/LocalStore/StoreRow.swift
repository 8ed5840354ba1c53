public import Foundation

/// A row of an answer, read where it lies: nothing is copied that is not asked for.
///
/// It cannot be copied and is only lent, so it cannot outlive the callback that it is handed to. A read converts
/// nothing, but for integers read as real numbers: ask for `CAST` in the statement. A read at an index that is not
/// there finds null.
///
/// ```swift
/// try store.query("SELECT id, label FROM jack") { row in
///     print(row.int64(at: 0) ?? 0, row.text(at: 1) ?? "")
///     return true
/// }
/// ```
public struct StoreRow: ~Copyable {
    /// Where the cells are.
    enum Source {
        case cells(UnsafeBufferPointer<StoreCell>)
        case columns(UnsafePointer<MemoryCursor>)
        case statement(SQLiteRow)
    }

    /// The names of the columns, in their order. Two may be the same.
    public let columnNames: [String]
    /// How many columns there are.
    public let columnCount: Int
    private let source: Source

    /// A row over cells that stay where they are until the row was read; as many as there are names.
    package init(columnNames: [String], cells: UnsafeBufferPointer<StoreCell>) {
        self.columnNames = columnNames
        columnCount = cells.count
        source = .cells(cells)
    }

    /// The row that a cursor has come to, and then the rows that it goes on to. It stays where it is until they were
    /// read.
    init(columnNames: [String], _ cursor: UnsafePointer<MemoryCursor>) {
        self.columnNames = columnNames
        columnCount = columnNames.count
        source = .columns(cursor)
    }

    /// The row that a statement of SQLite's has come to.
    init(columnNames: [String], _ row: SQLiteRow) {
        self.columnNames = columnNames
        columnCount = columnNames.count
        source = .statement(row)
    }

    /// The storage class of a cell.
    /// - Parameter index: the column's place, from 0; so with the other reads.
    public func kind(at index: Int) -> StoreValue.Kind {
        guard index >= 0, index < columnCount else { return .null }
        return switch source {
        case .cells(let cells): cells[index].kind
        case .columns(let cursor): cursor.pointee.columns[index].cell(at: cursor.pointee.row).kind
        case .statement(let row): row.kind(at: index)
        }
    }

    /// True when a cell is null, or is not there.
    public func isNull(at index: Int) -> Bool { kind(at: index) == .null }

    /// The whole number in a cell; nil when it holds anything else.
    public func int64(at index: Int) -> Int64? {
        let cell = cell(at: index)
        return cell.kind == .integer ? Int64(bitPattern: cell.bits) : nil
    }

    /// The number in a cell; nil when it holds none.
    public func double(at index: Int) -> Double? {
        let cell = cell(at: index)
        return switch cell.kind {
        case .real: Double(bitPattern: cell.bits)
        case .integer: Double(Int64(bitPattern: cell.bits))
        default: nil
        }
    }

    /// The text in a cell; nil when it holds anything else. Bytes that are not UTF-8 become U+FFFD.
    public func text(at index: Int) -> String? {
        let cell = cell(at: index)
        return cell.kind == .text ? String(decoding: cell.bytes, as: UTF8.self) : nil
    }

    /// The bytes in a cell; nil when it holds anything else.
    public func blob(at index: Int) -> Data? {
        let cell = cell(at: index)
        return cell.kind == .blob ? Data(cell.bytes) : nil
    }

    /// Lends the bytes of a text or a blob, without a copy.
    /// - Parameter body: reads them; they are there only until it returns.
    /// - Returns: what `body` returned; nil when the cell holds neither a text nor a blob.
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

    /// A copy of what is in a cell.
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

    /// Copies of the rows of a query.
    /// - Parameter query: hands over its rows.
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

    /// A cell, still where it lies.
    @inline(__always)
    package func cell(at index: Int) -> StoreCell {
        guard index >= 0, index < columnCount else { return .null }
        return switch source {
        case .cells(let cells): cells[index]
        case .columns(let cursor): cursor.pointee.columns[index].cell(at: cursor.pointee.row)
        case .statement(let row): row.cell(at: index)
        }
    }
}
