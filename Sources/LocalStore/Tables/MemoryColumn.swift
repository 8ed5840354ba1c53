import StoreCore

/// One column of a column store: a storage class (1 byte) and a payload (8 bytes) for each row.
///
/// The payload is the number itself, or the offset and length of a text or blob in the column's arena. The arena is
/// append-only, so restoring the 8 bytes restores a cell.
struct MemoryColumn: Sendable {
    typealias Cell = RowBatch.Cell

    /// Rows per entry of ``masks``.
    static let blockSize = 1024

    /// Storage classes, as raw values of `StoreValue.Kind`.
    private(set) var kinds: [UInt8] = []
    private(set) var bits: [UInt64] = []
    private(set) var arena: [UInt8] = []
    /// A zone map: for each block of rows, a bit set of the storage classes that may occur in it. Bits are only added.
    private(set) var masks: [UInt8] = []
    /// Bytes of the arena that no cell uses any more.
    private(set) var deadBytes = 0
    /// The payload of the text or blob that cells share, in a column that was added; nil without one.
    private var shared: UInt64?

    init() {}

    /// A column with one value in all rows, whose bytes the cells share.
    init(repeating value: SQLValue, count: Int) throws(StoreError) {
        let cell = try cell(for: value)
        reserve(count)
        for _ in 0..<count { append(cell) }
        if cell.kind == .text || cell.kind == .blob { shared = cell.bits }
    }

    var count: Int { kinds.count }

    static func mask(_ kind: StoreValue.Kind) -> UInt8 { 1 << kind.rawValue }

    // MARK: Reading

    @inline(__always)
    func kind(at row: Int) -> StoreValue.Kind {
        // Most blocks have a single class; their mask is in the cache, the class of the row may not be.
        let mask = masks[row / Self.blockSize]
        let kind = mask & (mask - 1) == 0 ? UInt8(truncatingIfNeeded: mask.trailingZeroBitCount) : kinds[row]
        return StoreValue.Kind(rawValue: kind) ?? .null
    }

    @inline(__always)
    func cell(at row: Int) -> Cell { Cell(bits: bits[row], kind: kind(at: row)) }

    func value(at row: Int) -> SQLValue { SQLValue(cell(at: row), in: arena) }

    // MARK: Writing

    mutating func reserve(_ rows: Int) {
        // Grow at least twofold, or a series of small batches would copy all cells for each batch.
        let needed = count + rows
        guard needed > kinds.capacity else { return }
        let capacity = max(needed, count * 2)
        kinds.reserveCapacity(capacity)
        bits.reserveCapacity(capacity)
    }

    mutating func append(_ value: SQLValue) throws(StoreError) {
        append(try cell(for: value))
    }

    /// Appends a cell whose bytes, if any, are in the arena.
    @inline(__always)
    mutating func append(_ cell: Cell) {
        if kinds.count & (Self.blockSize - 1) == 0 { masks.append(0) }
        masks[masks.count - 1] |= Self.mask(cell.kind)
        kinds.append(cell.kind.rawValue)
        bits.append(cell.bits)
    }

    mutating func set(_ value: SQLValue, at row: Int) throws(StoreError) {
        set(try cell(for: value), at: row)
    }

    /// Sets a cell whose bytes, if any, are in the arena.
    mutating func set(_ cell: Cell, at row: Int) {
        addDeadBytes(of: row)
        masks[row / Self.blockSize] |= Self.mask(cell.kind)
        kinds[row] = cell.kind.rawValue
        bits[row] = cell.bits
    }

    /// Counts the bytes of an overwritten cell as dead.
    private mutating func addDeadBytes(of row: Int) {
        let cell = cell(at: row)
        if ownsBytes(cell) { deadBytes += cell.count }
    }

    /// True if no other cell has the same bytes of the arena.
    private func ownsBytes(_ cell: Cell) -> Bool {
        (cell.kind == .text || cell.kind == .blob) && cell.bits != shared
    }

    /// Restores a cell's previous payload and discards the bytes of the current one. Undo runs newest first, so the
    /// arena shrinks back to its old length.
    mutating func restore(_ cell: Cell, at row: Int) {
        guard cell.bits != bits[row] || cell.kind != kind(at: row) else { return }
        discardBytes(of: row)
        if ownsBytes(cell) { deadBytes -= cell.count }
        masks[row / Self.blockSize] |= Self.mask(cell.kind)
        kinds[row] = cell.kind.rawValue
        bits[row] = cell.bits
    }

    private mutating func discardBytes(of row: Int) {
        let cell = cell(at: row)
        guard ownsBytes(cell) else { return }
        if cell.offset + cell.count == arena.count {
            arena.removeLast(cell.count)
        } else {
            deadBytes += cell.count
        }
    }

    mutating func removeLast() {
        discardBytes(of: count - 1)
        kinds.removeLast()
        bits.removeLast()
        if kinds.count & (Self.blockSize - 1) == 0 { masks.removeLast() }
    }

    /// The cell for a value; its bytes are appended to the arena.
    mutating func cell(for value: SQLValue) throws(StoreError) -> Cell {
        switch value {
        case .null: return Cell(bits: 0, kind: .null)
        case .integer(let number): return Cell(bits: UInt64(bitPattern: number), kind: .integer)
        case .real(let number): return Cell(bits: number.bitPattern, kind: .real)
        case .text(let bytes):
            return Cell(bits: try bytes.withBytes { bytes throws(StoreError) in try appendBytes(bytes) }, kind: .text)
        case .blob(let bytes):
            return Cell(bits: try bytes.withBytes { bytes throws(StoreError) in try appendBytes(bytes) }, kind: .blob)
        }
    }

    /// Appends bytes to the arena.
    /// - Returns: the payload of their cell.
    @inline(__always)
    mutating func appendBytes(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> UInt64 {
        let offset = arena.count
        guard offset + bytes.count <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "Column exceeds 4 GiB of text and blobs; delete rows, or split the table.")
        }
        arena.append(contentsOf: bytes)
        return UInt64(offset) << 32 | UInt64(bytes.count)
    }

    /// A copy of some rows' cells, with a compact arena, in which shared bytes are shared.
    func gathered(_ rows: [Int32]) -> MemoryColumn {
        var column = MemoryColumn()
        column.reserve(rows.count)
        arena.withUnsafeBytes { arena in
            for row in rows {
                var cell = cell(at: Int(row))
                if cell.kind == .text || cell.kind == .blob {
                    let isShared = cell.bits == shared
                    if isShared, let copy = column.shared {
                        cell.bits = copy
                    } else {
                        let bytes = cell.bytes(in: arena)
                        cell.bits = UInt64(column.arena.count) << 32 | UInt64(bytes.count)
                        column.arena.append(contentsOf: bytes)
                        if isShared { column.shared = cell.bits }
                    }
                }
                column.append(cell)
            }
        }
        return column
    }
}
