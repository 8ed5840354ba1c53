/// An open-addressing hash table with linear probing that maps key hashes to rows. It stores no keys; the caller
/// compares.
///
/// Deletion shifts later entries back instead of leaving tombstones, so lookups do not slow down over time.
struct HashIndex: Sendable {
    /// Seed of the hash functions.
    let seed: HashSeed
    /// The hash in the upper 32 bits, the row plus one in the lower; 0 is an empty slot.
    private(set) var slots: [UInt64] = []
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }

    init(_ seed: HashSeed) { self.seed = seed }

    /// The first row with this hash for which `isWanted` is true.
    @inline(__always)
    func row(hash: UInt32, where isWanted: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        return slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var index = Int(hash) & mask
            while true {
                let slot = slots[index]
                if slot == 0 { return nil }
                if UInt32(truncatingIfNeeded: slot >> 32) == hash {
                    let row = Int(slot & 0xFFFF_FFFF) - 1
                    if isWanted(row) { return row }
                }
                index = (index + 1) & mask
            }
        }
    }

    mutating func insert(_ row: Int, hash: UInt32) {
        if (count + 1) * 8 > slots.count * 5 { resize(max(16, slots.count * 2)) }
        insertSlot(UInt64(hash) << 32 | UInt64(row + 1))
        count += 1
    }

    mutating func remove(_ row: Int, hash: UInt32) {
        guard !slots.isEmpty else { return }
        let slot = UInt64(hash) << 32 | UInt64(row + 1)
        var hole = Int(hash) & mask
        while slots[hole] != slot {
            if slots[hole] == 0 { return }
            hole = (hole + 1) & mask
        }
        // Backward-shift deletion: entries of the same probe chain move into the hole, so that no search stops early at
        // it.
        var index = hole
        while true {
            index = (index + 1) & mask
            let other = slots[index]
            if other == 0 { break }
            let home = Int(other >> 32) & mask
            if (index - home) & mask >= (index - hole) & mask {
                slots[hole] = other
                hole = index
            }
        }
        slots[hole] = 0
        count -= 1
    }

    mutating func reserve(_ rows: Int) {
        var capacity = max(16, slots.count)
        while rows * 8 > capacity * 5 { capacity *= 2 }
        if capacity > slots.count { resize(capacity) }
    }

    private mutating func resize(_ capacity: Int) {
        let old = slots
        slots = [UInt64](repeating: 0, count: capacity)
        for slot in old where slot != 0 { insertSlot(slot) }
    }

    private mutating func insertSlot(_ slot: UInt64) {
        slots.withUnsafeMutableBufferPointer { slots in
            let mask = slots.count - 1
            var index = Int(slot >> 32) & mask
            while slots[index] != 0 { index = (index + 1) & mask }
            slots[index] = slot
        }
    }
}
