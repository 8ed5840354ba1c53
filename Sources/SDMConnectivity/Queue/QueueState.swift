/// The state machine of a queue of requests, without I/O.
///
/// ```
/// waiting -start->     running; while the queue is not suspended and has a free slot, unless the request is blocked
/// waiting -completed-> removed; a request that was cancelled before it started
/// running -completed-> removed
/// ```
/// The queue drains when its last request is removed and the ends of all are delivered; it may drain again after more
/// requests.
struct QueueState {
    enum Action: Equatable {
        case start(Int)
        case cancel(Int)
        /// All requests have completed, and their delegates were called.
        case drained
    }

    private struct Item {
        let id: Int
        let isUrgent: Bool
        /// True while it waits for other requests.
        var isBlocked: Bool
        var isRunning = false
        var isCancelled = false
    }

    private var items: [Item] = []
    private var lastID = 0
    /// The number of running requests.
    private(set) var runningCount = 0
    /// The number of requests whose delegates have not returned from their last call.
    private var undeliveredEnds = 0
    /// False while there is a drain to report.
    private var isDrained = true
    var isSuspended: Bool
    var maximumConcurrent: Int
    var cancelsOnFailure: Bool

    init(maximumConcurrent: Int, isSuspended: Bool, cancelsOnFailure: Bool) {
        self.maximumConcurrent = maximumConcurrent
        self.isSuspended = isSuspended
        self.cancelsOnFailure = cancelsOnFailure
    }

    /// Adds a request.
    /// - Parameters:
    ///   - isUrgent: starts before all waiting requests that are not.
    ///   - isBlocked: see ``setBlocked(_:_:)``.
    mutating func add(isUrgent: Bool = false, isBlocked: Bool = false) -> Int {
        lastID += 1
        isDrained = false
        let item = Item(id: lastID, isUrgent: isUrgent, isBlocked: isBlocked)
        // Behind the urgent ones before it.
        let index = isUrgent ? items.firstIndex { !$0.isRunning && !$0.isUrgent } ?? items.endIndex : items.endIndex
        items.insert(item, at: index)
        return lastID
    }

    /// Sets whether a request waits for others, which may be in other queues; unknown ones are ignored.
    mutating func setBlocked(_ id: Int, _ isBlocked: Bool) {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        items[index].isBlocked = isBlocked
    }

    /// Starts waiting requests in free slots, in order.
    mutating func startWaiting() -> [Action] {
        guard !isSuspended else { return [] }
        var actions: [Action] = []
        for index in items.indices {
            guard runningCount < maximumConcurrent else { break }
            let item = items[index]
            guard !item.isRunning, !item.isCancelled, !item.isBlocked else { continue }
            items[index].isRunning = true
            runningCount += 1
            actions.append(.start(item.id))
        }
        return actions
    }

    /// Removes a completed request; unknown ones are ignored.
    mutating func completed(_ id: Int, failed: Bool) -> [Action] {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return [] }
        let item = items.remove(at: index)
        if item.isRunning { runningCount -= 1 }
        if items.isEmpty { return drain() }
        // A request that the queue has cancelled does not cancel those that were added since.
        return failed && cancelsOnFailure && !item.isCancelled ? cancelAll() : startWaiting()
    }

    /// A request has completed, and its delegates are about to be called, which holds back the drain.
    mutating func willDeliverEnd() { undeliveredEnds += 1 }

    /// The delegates of a completed request were called.
    mutating func didDeliverEnd() -> [Action] {
        undeliveredEnds -= 1
        return drain()
    }

    private mutating func drain() -> [Action] {
        guard items.isEmpty, undeliveredEnds == 0, !isDrained else { return [] }
        isDrained = true
        return [.drained]
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
