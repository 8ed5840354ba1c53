/// The cells of one column: for each row the class in one byte and 8 bytes that are the number, or where the bytes of
/// the text or blob lie in the column's arena.
///
/// Nothing in the arena is ever changed, so the 8 bytes of a cell are all that is needed to bring it back.
struct MemoryColumn: Sendable {
    typealias Cell = RowBatch.Cell

    /// How many rows share a mask.
    static let blockSize = 1024

    /// The classes, as `StoreValue.Kind` numbers them.
    private(set) var kinds: [UInt8] = []
    private(set) var bits: [UInt64] = []
    private(set) var arena: [UInt8] = []
    /// For each block of rows the classes that may be in it, a bit for each.
    private(set) var masks: [UInt8] = []
    /// How many bytes of the arena belong to no cell any more.
    private(set) var deadBytes = 0

    var count: Int { kinds.count }

    static func mask(_ kind: StoreValue.Kind) -> UInt8 { 1 << kind.rawValue }

    // MARK: Reading

    @inline(__always)
    func kind(at row: Int) -> StoreValue.Kind {
        // Most blocks are of one class, and their masks are in the cache.
        let mask = masks[row / Self.blockSize]
        let kind = mask & (mask - 1) == 0 ? UInt8(truncatingIfNeeded: mask.trailingZeroBitCount) : kinds[row]
        return StoreValue.Kind(rawValue: kind) ?? .null
    }

    @inline(__always)
    func cell(at row: Int) -> Cell { Cell(bits: bits[row], kind: kind(at: row)) }

    func value(at row: Int) -> SQLValue { SQLValue(cell(at: row), in: arena) }

    // MARK: Writing

    mutating func reserve(_ rows: Int) {
        // As much again at least, or a row of small batches would copy all cells for each.
        let wanted = count + rows
        guard wanted > kinds.capacity else { return }
        let capacity = max(wanted, count * 2)
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
        abandon(row)
        masks[row / Self.blockSize] |= Self.mask(cell.kind)
        kinds[row] = cell.kind.rawValue
        bits[row] = cell.bits
    }

    /// Counts the bytes of a cell that is not needed any more.
    private mutating func abandon(_ row: Int) {
        let cell = cell(at: row)
        if cell.kind == .text || cell.kind == .blob { deadBytes += cell.count }
    }

    /// Sets a cell back to what it was, and gives up the bytes of the one that stood in its place. The last bytes go
    /// first, so that the arena becomes as short as it was.
    mutating func restore(_ cell: Cell, at row: Int) {
        guard cell.bits != bits[row] || cell.kind != kind(at: row) else { return }
        discard(row)
        if cell.kind == .text || cell.kind == .blob { deadBytes -= cell.count }
        masks[row / Self.blockSize] |= Self.mask(cell.kind)
        kinds[row] = cell.kind.rawValue
        bits[row] = cell.bits
    }

    private mutating func discard(_ row: Int) {
        let cell = cell(at: row)
        guard cell.kind == .text || cell.kind == .blob else { return }
        if cell.offset + cell.count == arena.count {
            arena.removeLast(cell.count)
        } else {
            deadBytes += cell.count
        }
    }

    mutating func removeLast() {
        discard(count - 1)
        kinds.removeLast()
        bits.removeLast()
        if kinds.count & (Self.blockSize - 1) == 0 { masks.removeLast() }
    }

    /// The cell for a value; its bytes go into the arena.
    mutating func cell(for value: SQLValue) throws(StoreError) -> Cell {
        switch value {
        case .null: return Cell(bits: 0, kind: .null)
        case .integer(let number): return Cell(bits: UInt64(bitPattern: number), kind: .integer)
        case .real(let number): return Cell(bits: number.bitPattern, kind: .real)
        case .text(let bytes):
            return Cell(bits: try bytes.withBytes { bytes throws(StoreError) in try keep(bytes) }, kind: .text)
        case .blob(let bytes):
            return Cell(bits: try bytes.withBytes { bytes throws(StoreError) in try keep(bytes) }, kind: .blob)
        }
    }

    /// Copies bytes into the arena.
    /// - Returns: the 8 bytes of their cell.
    @inline(__always)
    mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> UInt64 {
        let offset = arena.count
        guard offset + bytes.count <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "Column exceeds 4 GiB of text and blobs.")
        }
        arena.append(contentsOf: bytes)
        return UInt64(offset) << 32 | UInt64(bytes.count)
    }

    /// The cells of some rows, in a new column without anything else in its arena.
    func gathered(_ rows: [Int32]) -> MemoryColumn {
        var column = MemoryColumn()
        column.reserve(rows.count)
        arena.withUnsafeBytes { arena in
            for row in rows {
                var cell = cell(at: Int(row))
                if cell.kind == .text || cell.kind == .blob {
                    let bytes = UnsafeRawBufferPointer(rebasing: arena[cell.offset..<cell.offset + cell.count])
                    cell.bits = UInt64(column.arena.count) << 32 | UInt64(bytes.count)
                    column.arena.append(contentsOf: bytes)
                }
                column.append(cell)
            }
        }
        return column
    }
}
