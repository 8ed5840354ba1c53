import StoreCore

/// An open-addressing hash table with linear probing that numbers the different keys of rows: the groups, from 0 in
/// order of appearance.
///
/// A slot holds the key itself, so that a probe reads one cache line: a number, or the place of a text in its column's
/// arena. Numbers are normalized first: a REAL that equals an integer becomes that integer.
struct GroupIndex {
    private struct Slot {
        var bits: UInt64
        /// Upper bits of the hash, and the class of the key.
        var tag: UInt32
        /// The group; -1 for an empty slot.
        var group: Int32

        static let empty = Slot(bits: 0, tag: 0, group: -1)
    }

    /// Class of a key, in the lower bits of a tag.
    private enum KeyClass: UInt32 { case null, integer, real, text, blob }

    private let seed: HashSeed
    private var slots: [Slot] = []
    /// The first row of each group.
    private(set) var firstRows: [Int32] = []

    init(_ seed: HashSeed) { self.seed = seed }

    /// Finds or adds the groups of rows by the cells of a column.
    mutating func add(
        _ rows: UnsafeBufferPointer<Int32>, _ column: ColumnCells, mask: UInt8,
        to groups: inout [Int32]
    ) {
        withSlots(for: rows.count) { slots, firstRows, seed in
            switch mask {
            case MemoryColumn.mask(.integer):
                for index in rows.indices {
                    let row = Int(rows[index])
                    groups[index] = Self.group(integer: column.bits(at: row), rows[index], slots, &firstRows, seed)
                }
            case MemoryColumn.mask(.text):
                for index in rows.indices {
                    let bits = column.bits(at: Int(rows[index]))
                    groups[index] = Self.group(bytes: bits, .text, rows[index], column, slots, &firstRows, seed)
                }
            default:
                for index in rows.indices {
                    groups[index] = Self.group(of: rows[index], column, slots, &firstRows, seed)
                }
            }
        }
    }

    /// Finds or adds the groups of pairs: those of `groups`, and those of `others`.
    mutating func combine(
        _ rows: UnsafeBufferPointer<Int32>, _ others: [Int32], into groups: inout [Int32]
    ) {
        withSlots(for: rows.count) { slots, firstRows, seed in
            for index in rows.indices {
                let pair = UInt64(UInt32(bitPattern: groups[index])) << 32 | UInt64(UInt32(bitPattern: others[index]))
                groups[index] = Self.group(integer: pair, rows[index], slots, &firstRows, seed)
            }
        }
    }

    /// Passes the table, with space for `count` new groups. The members are moved out meanwhile, so that the closure
    /// has exclusive access to each.
    private mutating func withSlots(
        for count: Int, _ body: (UnsafeMutableBufferPointer<Slot>, inout [Int32], HashSeed) -> Void
    ) {
        reserve(count)
        var (slots, firstRows): ([Slot], [Int32]) = ([], [])
        swap(&slots, &self.slots)
        swap(&firstRows, &self.firstRows)
        slots.withUnsafeMutableBufferPointer { body($0, &firstRows, seed) }
        swap(&slots, &self.slots)
        swap(&firstRows, &self.firstRows)
    }

    // MARK: Probing

    @inline(__always)
    private static func group(
        of row: Int32, _ column: ColumnCells, _ slots: UnsafeMutableBufferPointer<Slot>,
        _ firstRows: inout [Int32], _ seed: HashSeed
    ) -> Int32 {
        let bits = column.bits(at: Int(row))
        switch column.kind(at: Int(row)) {
        case .null:
            return group(0, tag(0, .null), row, slots, &firstRows) { $0 == 0 }
        case .integer: return group(integer: bits, row, slots, &firstRows, seed)
        case .real:
            let number = Double(bitPattern: bits)
            if let whole = Int64(exactly: number) {
                return group(integer: UInt64(bitPattern: whole), row, slots, &firstRows, seed)
            }
            return group(bits, tag(seed.hash(bits), .real), row, slots, &firstRows) { $0 == bits }
        case .text: return group(bytes: bits, .text, row, column, slots, &firstRows, seed)
        case .blob: return group(bytes: bits, .blob, row, column, slots, &firstRows, seed)
        }
    }

    @inline(__always)
    private static func group(
        integer bits: UInt64, _ row: Int32, _ slots: UnsafeMutableBufferPointer<Slot>, _ firstRows: inout [Int32],
        _ seed: HashSeed
    ) -> Int32 {
        group(bits, tag(seed.hash(bits), .integer), row, slots, &firstRows) { $0 == bits }
    }

    @inline(__always)
    private static func group(
        bytes bits: UInt64, _ keyClass: KeyClass, _ row: Int32, _ column: ColumnCells,
        _ slots: UnsafeMutableBufferPointer<Slot>, _ firstRows: inout [Int32], _ seed: HashSeed
    ) -> Int32 {
        let bytes = column.bytes(bits)
        return group(bits, tag(seed.hash(bytes), keyClass), row, slots, &firstRows) { other in
            other == bits
                || other & 0xFFFF_FFFF == bits & 0xFFFF_FFFF && SQLValue.order(column.bytes(other), bytes) == 0
        }
    }

    @inline(__always)
    private static func tag(_ hash: UInt32, _ keyClass: KeyClass) -> UInt32 { hash & ~7 | keyClass.rawValue }

    /// The group of a key, or a new one. There is an empty slot.
    @inline(__always)
    private static func group(
        _ bits: UInt64, _ tag: UInt32, _ row: Int32, _ slots: UnsafeMutableBufferPointer<Slot>,
        _ firstRows: inout [Int32], isEqual: (UInt64) -> Bool
    ) -> Int32 {
        let mask = slots.count - 1
        var place = Int(tag >> 3) & mask
        while true {
            let slot = slots[place]
            if slot.group < 0 { break }
            if slot.tag == tag, isEqual(slot.bits) { return slot.group }
            place = (place + 1) & mask
        }
        let group = Int32(truncatingIfNeeded: firstRows.count)
        slots[place] = Slot(bits: bits, tag: tag, group: group)
        firstRows.append(row)
        return group
    }

    /// Makes space for new groups: a block never makes the table grow while it is probed.
    private mutating func reserve(_ count: Int) {
        let needed = firstRows.count + count
        var capacity = max(slots.count, 2048)
        while needed * 8 > capacity * 5 { capacity *= 2 }
        guard capacity > slots.count else { return }
        let old = slots
        slots = [Slot](repeating: .empty, count: capacity)
        let mask = capacity - 1
        for slot in old where slot.group >= 0 {
            var place = Int(slot.tag >> 3) & mask
            while slots[place].group >= 0 { place = (place + 1) & mask }
            slots[place] = slot
        }
    }
}
