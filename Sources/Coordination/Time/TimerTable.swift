/// Deadlines and actions by timer ID.
///
/// A dictionary of entries, and a binary heap of deadlines with lazy deletion: cancelling removes only the entry, and
/// what is left of it in the heap is skipped when it reaches the top. The heap is rebuilt when most of it is such
/// remains. So scheduling and firing are O(log n), and cancelling is O(1), amortized.
struct TimerTable {
    typealias Action = @Sendable () -> Void

    private struct Entry {
        let deadline: Duration
        let action: Action
    }
    /// A node of the heap; it is valid while the entry of its ID has the same deadline.
    private struct Node {
        let deadline: Duration
        let id: UInt64

        /// Timers of one deadline fire in the order of their IDs.
        func isBefore(_ other: Node) -> Bool {
            deadline == other.deadline ? id < other.id : deadline < other.deadline
        }
    }

    private var entries: [UInt64: Entry] = [:]
    /// Each node is before its children, at `2 * index + 1` and `2 * index + 2`.
    private var heap: [Node] = []

    /// The number of timers.
    var count: Int { entries.count }
    /// The number of nodes in the heap, including remains of removed timers.
    var nodeCount: Int { heap.count }

    /// Stores a timer, unless its ID has one with an earlier or equal deadline.
    /// - Parameter action: evaluated only when the timer is stored.
    mutating func insert(_ id: UInt64, at deadline: Duration, _ action: () -> Action) -> Bool {
        if let entry = entries[id], entry.deadline <= deadline { return false }
        entries[id] = Entry(deadline: deadline, action: action())
        heap.append(Node(deadline: deadline, id: id))
        siftUp(from: heap.count - 1)
        return true
    }

    /// Removes the timer of an ID, if there is one.
    mutating func remove(_ id: UInt64) {
        guard entries.removeValue(forKey: id) != nil else { return }
        if heap.count > 64, heap.count > 2 * entries.count { rebuild() }
    }

    /// Removes the timers whose deadline is not after `now`.
    /// - Returns: their actions, the earliest first.
    mutating func popDue(at now: Duration) -> [Action] {
        var due: [Action] = []
        while let node = heap.first, node.deadline <= now {
            removeFirst()
            guard isValid(node) else { continue }
            if let entry = entries.removeValue(forKey: node.id) { due.append(entry.action) }
        }
        return due
    }

    /// Returns the earliest deadline, and drops the remains of removed timers before it.
    mutating func earliest() -> Duration? {
        while let node = heap.first, !isValid(node) { removeFirst() }
        return heap.first?.deadline
    }

    private func isValid(_ node: Node) -> Bool { entries[node.id]?.deadline == node.deadline }

    private mutating func rebuild() {
        // A sorted array is a heap.
        heap = entries.map { Node(deadline: $1.deadline, id: $0) }.sorted { $0.isBefore($1) }
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        let node = heap[index]
        while index > 0, case let parent = (index - 1) / 2, node.isBefore(heap[parent]) {
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = node
    }

    private mutating func siftDown() {
        var index = 0
        let node = heap[index]
        while case let left = 2 * index + 1, left < heap.count {
            let right = left + 1
            let child = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
            guard heap[child].isBefore(node) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = node
    }
}
