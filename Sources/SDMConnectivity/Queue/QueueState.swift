/// The state machine of a queue of requests, without I/O.
///
/// ```
/// waiting -start->     running; while the queue is not suspended and has a free slot
/// waiting -completed-> removed; a request that was cancelled before it started
/// running -completed-> removed
/// ```
/// The queue drains when its last request is removed; it may drain again after more requests.
struct QueueState {
    enum Action: Equatable {
        case start(Int)
        case cancel(Int)
        /// All requests have completed.
        case drained
    }

    private struct Item {
        let id: Int
        /// The request that must complete first.
        let prerequisite: Int?
        var isRunning = false
        var isCancelled = false
    }

    private var items: [Item] = []
    private var lastID = 0
    var isSuspended: Bool
    var maximumConcurrent: Int
    var cancelsOnFailure: Bool

    init(maximumConcurrent: Int, isSuspended: Bool, cancelsOnFailure: Bool) {
        self.maximumConcurrent = maximumConcurrent
        self.isSuspended = isSuspended
        self.cancelsOnFailure = cancelsOnFailure
    }

    /// The number of running requests.
    var runningCount: Int { items.count { $0.isRunning } }

    /// Adds a request.
    /// - Parameters:
    ///   - prerequisite: starts after this one has completed.
    ///   - isUrgent: starts before all waiting requests that are not.
    mutating func add(after prerequisite: Int? = nil, isUrgent: Bool = false) -> Int {
        lastID += 1
        let item = Item(id: lastID, prerequisite: prerequisite)
        // Urgent requests are those without which others cannot start: behind the urgent ones before them.
        let index = isUrgent ? items.firstIndex { !$0.isRunning && !isAwaited($0) } ?? items.endIndex : items.endIndex
        items.insert(item, at: index)
        return lastID
    }

    private func isAwaited(_ item: Item) -> Bool { items.contains { $0.prerequisite == item.id } }

    /// Starts waiting requests in free slots, in order.
    mutating func startWaiting() -> [Action] {
        guard !isSuspended else { return [] }
        var actions: [Action] = []
        for index in items.indices {
            guard runningCount < maximumConcurrent else { break }
            let item = items[index]
            let isReady = !items.contains { $0.id == item.prerequisite }
            guard !item.isRunning, !item.isCancelled, isReady else { continue }
            items[index].isRunning = true
            actions.append(.start(item.id))
        }
        return actions
    }

    /// Removes a completed request; unknown ones are ignored.
    mutating func completed(_ id: Int, failed: Bool) -> [Action] {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return [] }
        let item = items.remove(at: index)
        if items.isEmpty { return [.drained] }
        // A request that the queue has cancelled does not cancel those that were added since.
        return failed && cancelsOnFailure && !item.isCancelled ? cancelAll() : startWaiting()
    }

    /// Cancels all requests, each one once; they complete afterwards.
    mutating func cancelAll() -> [Action] {
        var actions: [Action] = []
        for index in items.indices where !items[index].isCancelled {
            items[index].isCancelled = true
            actions.append(.cancel(items[index].id))
        }
        return actions
    }
}
