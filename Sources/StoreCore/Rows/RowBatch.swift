import Foundation

/// Reusable batch of rows for ``LocalStore/insert(_:into:)``, ``LocalStore/upsert(_:into:)`` and
/// ``LocalStore/delete(_:from:)``.
///
/// Cells are set without boxing any value; empty the batch and fill it again.
///
/// ```swift
/// var batch = try RowBatch(columns: ["id", "label"])
/// batch.beginRow()
/// try batch.set(integer: 7, at: 0)
/// try batch.set(text: "plate", at: 1)
/// ```
///
/// All cells of a new row are null and can be set in any order. The cells are one flat array; text and blobs are stored
/// in an append-only arena, which keeps its memory when the batch is emptied. A few thousand rows a batch are enough
/// for full speed.
public struct RowBatch: Sendable {
    /// Storage class and 8 bytes: the number, or offset and length of the text or blob in ``arena``.
    @usableFromInline
    package struct Cell: Sendable {
        @usableFromInline package var bits: UInt64
        @usableFromInline package var kind: StoreValue.Kind

        @inlinable
        package init(bits: UInt64, kind: StoreValue.Kind) {
            self.bits = bits
            self.kind = kind
        }

        @inlinable
        package static var null: Cell { Cell(bits: 0, kind: .null) }

        @inlinable
        package var integer: Int64 { Int64(bitPattern: bits) }
        @inlinable
        package var real: Double { Double(bitPattern: bits) }
        /// Start of the text or blob in the arena.
        @inlinable
        package var offset: Int { Int(bits >> 32) }
        /// Length of the text or blob in bytes.
        @inlinable
        package var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }

        /// The text or blob.
        @inlinable
        package func bytes(in arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: arena[offset..<offset + count])
        }
    }

    /// The columns of each row, in order.
    public private(set) var columns: [SQLIdentifier]
    /// Number of rows, including the one begun last.
    public private(set) var rowCount = 0
    /// All cells, row by row.
    package private(set) var cells: [Cell] = []
    /// The bytes of all texts and blobs; overwritten cells leave unused bytes.
    package private(set) var arena: [UInt8] = []
    /// Start of the last row in `cells`, and its width: 0 when there is no row.
    private var lastRow = 0
    private var lastRowWidth = 0
    /// Length of the arena when the last row was begun.
    private var lastRowArena = 0

    /// An empty batch.
    /// - Throws: `StoreError` (`invalidArgument`) when there are no columns, or two have the same name.
    public init(columns: [SQLIdentifier]) throws(StoreError) {
        guard !columns.isEmpty, Set(columns).count == columns.count else {
            throw StoreError(
                .invalidArgument, "Invalid row batch: it needs at least one column, and column names must be unique.")
        }
        self.columns = columns
    }

    /// An empty batch without columns, for ``appendColumn(_:)``.
    init() { columns = [] }

    /// Adds a column to a batch of one row; its cell is null.
    /// - Throws: `StoreError` (`invalidArgument`) when the batch has a column of that name.
    mutating func appendColumn(_ name: SQLIdentifier) throws(StoreError) {
        precondition(rowCount == 1)
        guard !columns.contains(name) else {
            throw StoreError(.invalidArgument, "Row batch has two columns with the name \(name); rename one of them.")
        }
        columns.append(name)
        cells.append(.null)
        lastRowWidth += 1
    }

    /// True when there are no rows.
    public var isEmpty: Bool { rowCount == 0 }
    /// Approximate size of the rows in bytes, for deciding when to send the batch to the store.
    public var byteCount: Int { cells.count * MemoryLayout<Cell>.stride + arena.count }

    /// Reserves memory for the expected rows. Only a hint: very large batches grow as they are filled.
    /// - Parameter textBytes: expected bytes of text and blobs in all rows together.
    public mutating func reserveCapacity(rows: Int, textBytes: Int = 0) {
        let cellCount = max(rows, 0).multipliedReportingOverflow(by: columns.count)
        cells.reserveCapacity(
            cellCount.overflow ? Self.maximumReservation : min(cellCount.partialValue, Self.maximumReservation))
        arena.reserveCapacity(min(max(textBytes, 0), Self.maximumReservation))
    }

    /// Most cells, or bytes of text, reserved at once.
    private static let maximumReservation = 1 << 24

    /// Appends a row with null in every cell.
    public mutating func beginRow() {
        lastRow = cells.count
        lastRowWidth = columns.count
        lastRowArena = arena.count
        cells.append(contentsOf: repeatElement(.null, count: lastRowWidth))
        rowCount += 1
    }

    /// Removes the row begun last, if any.
    ///
    /// Frees the arena bytes of one row only; when called again, the bytes of earlier rows stay until ``removeAll()``.
    public mutating func removeLastRow() {
        guard rowCount > 0 else { return }
        cells.removeLast(columns.count)
        rowCount -= 1
        arena.removeLast(arena.count - lastRowArena)
        lastRow -= min(columns.count, lastRow)
        lastRowWidth = rowCount > 0 ? columns.count : 0
    }

    /// Removes all rows but keeps the memory.
    public mutating func removeAll() {
        cells.removeAll(keepingCapacity: true)
        arena.removeAll(keepingCapacity: true)
        rowCount = 0
        lastRow = 0
        lastRowWidth = 0
        lastRowArena = 0
    }

    /// Sets a cell of the last row to an integer.
    /// - Parameter index: the column's index in ``columns``.
    /// - Throws: `StoreError` (`invalidArgument`) when the index is out of range or the batch is empty. The other
    ///   setters throw the same.
    public mutating func set(integer value: Int64, at index: Int) throws(StoreError) {
        try put(Cell(bits: UInt64(bitPattern: value), kind: .integer), at: index)
    }

    /// Sets a cell of the last row to a floating point number. NaN becomes null.
    public mutating func set(real value: Double, at index: Int) throws(StoreError) {
        try put(value.isNaN ? .null : Cell(bits: value.bitPattern, kind: .real), at: index)
    }

    /// Sets a cell of the last row to null.
    public mutating func setNull(at index: Int) throws(StoreError) { try put(.null, at: index) }

    /// Sets a cell of the last row to text, copying its UTF-8 bytes. They must be valid; that is not checked.
    /// - Throws: also `StoreError` (`tooLarge`) when the batch would exceed 4 GiB of text and blobs.
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

    /// Appends a row of values.
    /// - Throws: `StoreError`: `invalidArgument` when the number of values differs from that of columns; `tooLarge`.
    public mutating func append(_ values: [StoreValue]) throws(StoreError) {
        guard values.count == columns.count else {
            throw StoreError(
                .invalidArgument,
                "Row has \(values.count) values for \(columns.count) columns; pass one value for each column.")
        }
        beginRow()
        for (index, value) in values.enumerated() { try set(value, at: index) }
    }

    /// Returns the value of a cell, or null when the row or column is out of range.
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

    /// True when any row has null in a column.
    package func containsNull(in column: Int) -> Bool {
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
            throw StoreError(.tooLarge, "Row batch exceeds 4 GiB of text and blobs; split it into smaller batches.")
        }
        try put(Cell(bits: UInt64(offset) << 32 | UInt64(bytes.count), kind: kind), at: index)
        arena.append(contentsOf: bytes)
    }

    private static let noSuchCell = StoreError(
        .invalidArgument, "Row batch has no cell at that index; call beginRow() first and check the column index.")
}
