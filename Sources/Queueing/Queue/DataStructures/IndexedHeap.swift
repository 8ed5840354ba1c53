/// Indexed binary min-heap: members are small integers, of which any is moved or removed in logarithmic time.
///
/// The index from a member to its position belongs to the caller, so that several heaps over one set of members, each
/// member in at most one of them, share one array.
struct IndexedHeap {
    /// The order of members; the lowest value comes first.
    struct Priority: Comparable {
        let value: Int64
        /// Breaks ties.
        let sequence: UInt64

        static func < (left: Priority, right: Priority) -> Bool {
            left.value != right.value ? left.value < right.value : left.sequence < right.sequence
        }
    }

    /// By member: its position in its heap, or -1.
    typealias Positions = [Int32]

    private struct Entry {
        let priority: Priority
        let member: Int32
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The member with the lowest priority value.
    var first: Int? { entries.first.map { Int($0.member) } }
    /// The priority of ``first``.
    var firstPriority: Priority? { entries.first?.priority }

    /// Inserts a member, or moves it to its new priority.
    mutating func set(_ member: Int, to priority: Priority, _ positions: inout Positions) {
        let entry = Entry(priority: priority, member: Int32(truncatingIfNeeded: member))
        var position = Int(positions[member])
        if position < 0 {
            position = entries.count
            entries.append(entry)
        }
        position = siftUp(entry, from: position, &positions)
        siftDown(entry, from: position, &positions)
    }

    /// Removes a member; does nothing if it is absent.
    mutating func remove(_ member: Int, _ positions: inout Positions) {
        let position = Int(positions[member])
        guard position >= 0, let last = entries.popLast() else { return }
        positions[member] = -1
        guard position < entries.count else { return }
        // The last entry fills the gap. It comes from another subtree, so it may have to move either way.
        siftDown(last, from: siftUp(last, from: position, &positions), &positions)
    }

    /// Moves entries with a higher value than `entry` down, along the path from a position to the root.
    /// - Returns: the free position on that path; `entry` is not stored yet.
    private mutating func siftUp(_ entry: Entry, from start: Int, _ positions: inout Positions) -> Int {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard entry.priority < entries[parent].priority else { break }
            put(entries[parent], at: position, &positions)
            position = parent
        }
        return position
    }

    /// Moves entries with a lower value than `entry` up, and stores `entry` at the free position.
    private mutating func siftDown(_ entry: Entry, from start: Int, _ positions: inout Positions) {
        var position = start
        while true {
            var child = position * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].priority < entries[child].priority { child += 1 }
            guard entries[child].priority < entry.priority else { break }
            put(entries[child], at: position, &positions)
            position = child
        }
        put(entry, at: position, &positions)
    }

    private mutating func put(_ entry: Entry, at position: Int, _ positions: inout Positions) {
        entries[position] = entry
        positions[Int(entry.member)] = Int32(truncatingIfNeeded: position)
    }
}
