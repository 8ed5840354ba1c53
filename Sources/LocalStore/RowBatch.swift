import Foundation

/// Rows on their way into a store: filled cell by cell without a box around any value, handed to
/// ``LocalStore/upsert(_:into:)`` or ``LocalStore/delete(_:from:)``, emptied, and filled again.
///
/// ```swift
/// var batch = try RowBatch(columns: ["id", "label"])
/// batch.beginRow()
/// try batch.set(integer: 7, at: 0)
/// try batch.set(text: "plate", at: 1)
/// ```
///
/// A row starts with null in every cell, and its cells may be set in any order. Text and blobs lie one behind the other
/// in one arena, which keeps its memory when the batch is emptied. A batch of a few thousand rows is as fast as a
/// larger one.
public struct RowBatch: Sendable {
    /// A cell: its class, and 8 bytes that are the number, or where in ``arena`` the text or blob lies.
    package struct Cell: Sendable {
        package var bits: UInt64
        package var kind: StoreValue.Kind

        static let null = Cell(bits: 0, kind: .null)
        /// The number, when it is an integer.
        package var integer: Int64 { Int64(bitPattern: bits) }
        /// The number, when it is real.
        package var real: Double { Double(bitPattern: bits) }
        /// Where the text or blob starts in the arena.
        package var offset: Int { Int(bits >> 32) }
        /// How many bytes the text or blob has.
        package var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }

        /// The text or blob.
        package func bytes(in arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: arena[offset..<offset + count])
        }
    }

    /// The columns that the cells of each row are for, in their order.
    public let columns: [SQLIdentifier]
    /// How many rows there are, the one that was begun last included.
    public private(set) var rowCount = 0
    /// All cells, row by row.
    package private(set) var cells: [Cell] = []
    /// The bytes of all texts and blobs. Some may belong to no cell.
    package private(set) var arena: [UInt8] = []
    /// Where the last row starts in `cells`, and how many of its cells may be set: none when there is no row.
    private var lastRow = 0
    private var lastRowWidth = 0
    /// Where the arena ended when the last row was begun.
    private var lastRowArena = 0

    /// An empty batch.
    /// - Throws: `StoreError` (`invalidArgument`) when there are no columns, or two of the same name.
    public init(columns: [SQLIdentifier]) throws(StoreError) {
        guard !columns.isEmpty, Set(columns).count == columns.count else {
            throw StoreError(.invalidArgument, "A batch of rows needs columns, each with a name of its own.")
        }
        self.columns = columns
    }

    /// True when there are no rows.
    public var isEmpty: Bool { rowCount == 0 }
    /// How many bytes the rows take, about; to know when to hand them over.
    public var byteCount: Int { cells.count * MemoryLayout<Cell>.stride + arena.count }

    /// Makes room for rows that are about to come. A hint: room for a very large batch is made as it grows.
    /// - Parameter textBytes: how many bytes of text and blobs to expect in all of them.
    public mutating func reserveCapacity(rows: Int, textBytes: Int = 0) {
        let cellCount = max(rows, 0).multipliedReportingOverflow(by: columns.count)
        cells.reserveCapacity(cellCount.overflow ? Self.mostReserved : min(cellCount.partialValue, Self.mostReserved))
        arena.reserveCapacity(min(max(textBytes, 0), Self.mostReserved))
    }

    /// How many cells, or bytes of text, are made room for at once.
    private static let mostReserved = 1 << 24

    /// Begins the next row; all its cells are null.
    public mutating func beginRow() {
        lastRow = cells.count
        lastRowWidth = columns.count
        lastRowArena = arena.count
        cells.append(contentsOf: repeatElement(.null, count: lastRowWidth))
        rowCount += 1
    }

    /// Takes back the row that was begun last, if any, so that it can be begun again. Only one can be taken back with
    /// its bytes; of rows before it the bytes stay until ``removeAll()``.
    public mutating func removeLastRow() {
        guard rowCount > 0 else { return }
        cells.removeLast(columns.count)
        rowCount -= 1
        arena.removeLast(arena.count - lastRowArena)
        lastRow -= min(columns.count, lastRow)
        lastRowWidth = rowCount > 0 ? columns.count : 0
    }

    /// Removes all rows and keeps the memory for the next.
    public mutating func removeAll() {
        cells.removeAll(keepingCapacity: true)
        arena.removeAll(keepingCapacity: true)
        rowCount = 0
        lastRow = 0
        lastRowWidth = 0
        lastRowArena = 0
    }

    /// Sets a cell of the last row to a whole number.
    /// - Parameter index: the column's place in ``columns``.
    /// - Throws: `StoreError` (`invalidArgument`) when there is no such cell; so do the other setters.
    public mutating func set(integer value: Int64, at index: Int) throws(StoreError) {
        try put(Cell(bits: UInt64(bitPattern: value), kind: .integer), at: index)
    }

    /// Sets a cell of the last row to a floating point number; to null when it is not a number.
    public mutating func set(real value: Double, at index: Int) throws(StoreError) {
        try put(value.isNaN ? .null : Cell(bits: value.bitPattern, kind: .real), at: index)
    }

    /// Sets a cell of the last row to null.
    public mutating func setNull(at index: Int) throws(StoreError) { try put(.null, at: index) }

    /// Sets a cell of the last row to text, given as UTF-8. The bytes are copied, and have to be valid UTF-8; that is
    /// not checked.
    /// - Throws: also `StoreError` (`tooLarge`) when the batch would hold more than 4 GiB of text and blobs.
    public mutating func set(utf8 bytes: UnsafeRawBufferPointer, at index: Int) throws(StoreError) {
        try put(bytes, .text, at: index)
    }

    /// Sets a cell of the last row to text.
    public mutating func set(text: String, at index: Int) throws(StoreError) {
        var text = text
        try text.withUTF8 { bytes in
            Result { () throws(StoreError) in try put(UnsafeRawBufferPointer(bytes), .text, at: index) }
        }.get()
    }

    /// Sets a cell of the last row to bytes.
    public mutating func set(blob bytes: UnsafeRawBufferPointer, at index: Int) throws(StoreError) {
        try put(bytes, .blob, at: index)
    }

    /// Sets a cell of the last row to a value.
    public mutating func set(_ value: StoreValue, at index: Int) throws(StoreError) {
        switch value {
        case .null: try setNull(at: index)
        case .integer(let number): try set(integer: number, at: index)
        case .real(let number): try set(real: number, at: index)
        case .text(let text): try set(text: text, at: index)
        case .blob(let data):
            try data.withUnsafeBytes { bytes in
                Result { () throws(StoreError) in try put(bytes, .blob, at: index) }
            }.get()
        }
    }

    /// Adds a whole row.
    /// - Throws: `StoreError` (`invalidArgument`) when there are not as many values as columns; `tooLarge`.
    public mutating func append(_ values: [StoreValue]) throws(StoreError) {
        guard values.count == columns.count else {
            throw StoreError(.invalidArgument, "A row has \(values.count) values for \(columns.count) columns.")
        }
        beginRow()
        for (index, value) in values.enumerated() { try set(value, at: index) }
    }

    /// The value of a cell, or null when there is no such cell.
    public func value(row: Int, column: Int) -> StoreValue {
        guard (0..<rowCount).contains(row), columns.indices.contains(column) else { return .null }
        let cell = cells[row * columns.count + column]
        switch cell.kind {
        case .null: return .null
        case .integer: return .integer(cell.integer)
        case .real: return .real(cell.real)
        case .text: return .text(String(decoding: arena[cell.offset..<cell.offset + cell.count], as: UTF8.self))
        case .blob: return .blob(Data(arena[cell.offset..<cell.offset + cell.count]))
        }
    }

    /// True when a row has null in a column.
    package func holdsNull(in column: Int) -> Bool {
        stride(from: column, to: cells.count, by: columns.count).contains { cells[$0].kind == .null }
    }

    @inline(__always)
    private mutating func put(_ cell: Cell, at index: Int) throws(StoreError) {
        guard index >= 0, index < lastRowWidth else { throw Self.noSuchCell }
        cells[lastRow + index] = cell
    }

    @inline(__always)
    private mutating func put(
        _ bytes: UnsafeRawBufferPointer, _ kind: StoreValue.Kind, at index: Int
    ) throws(StoreError) {
        let offset = arena.count
        guard offset + bytes.count <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "A batch holds at most 4 GiB of text and blobs; hand it over in parts.")
        }
        try put(Cell(bits: UInt64(offset) << 32 | UInt64(bytes.count), kind: kind), at: index)
        arena.append(contentsOf: bytes)
    }

    private static let noSuchCell = StoreError(
        .invalidArgument, "A batch has no such cell: no row was begun, or it has fewer columns.")
}
