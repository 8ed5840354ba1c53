/// Binary min-heap of the deadlines of waiting items, with lazy deletion.
///
/// Most items start long before their deadline, so removing one only counts its entry as stale. Stale entries are
/// skipped when they reach the top; once more than half of all entries are stale, the heap is rebuilt without them.
struct DeadlineHeap {
    private struct Entry {
        let deadline: Int64
        let slot: Int32
        /// Tells whether the slot still holds the same item: slots are reused, serial numbers are not.
        let serial: UInt64

        /// Equal deadlines are in order of submission.
        static func < (left: Entry, right: Entry) -> Bool {
            left.deadline != right.deadline ? left.deadline < right.deadline : left.serial < right.serial
        }

        func isCurrent(in table: SlotTable) -> Bool {
            let slot = table.all[Int(slot)]
            return slot.serial == serial && slot.hasDeadline
        }
    }

    private var entries: [Entry] = []
    private var staleCount = 0

    /// The number of entries, stale ones included.
    var count: Int { entries.count }

    mutating func insert(_ deadline: Int64, for id: QueueItemID) {
        entries.append(Entry(deadline: deadline, slot: id.slot, serial: id.serial))
        siftUp(from: entries.count - 1)
    }

    /// Counts one entry as stale, after its item lost its deadline in the table.
    mutating func removeLazily(in table: SlotTable) {
        staleCount += 1
        guard staleCount > 64, staleCount > entries.count / 2 else { return }
        entries.removeAll { !$0.isCurrent(in: table) }
        staleCount = 0
        // Heapify: sifting the inner nodes down, last one first, takes linear time.
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    /// The earliest deadline that is not stale.
    mutating func first(in table: SlotTable) -> (slot: Int, deadline: Int64)? {
        while let first = entries.first {
            if first.isCurrent(in: table) { return (Int(first.slot), first.deadline) }
            removeFirst()
            staleCount -= 1
        }
        return nil
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        siftDown(from: 0)
    }

    // Both sifts move the other entries and write this one once, at its final index.

    private mutating func siftUp(from start: Int) {
        let entry = entries[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry < entries[parent] else { break }
            entries[index] = entries[parent]
            index = parent
        }
        entries[index] = entry
    }

    private mutating func siftDown(from start: Int) {
        let entry = entries[start]
        var index = start
        while true {
            var child = index * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entry else { break }
            entries[index] = entries[child]
            index = child
        }
        entries[index] = entry
    }
}
