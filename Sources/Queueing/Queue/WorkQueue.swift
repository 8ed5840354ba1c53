/// A priority queue with concurrency limits, as a state machine: events in, actions out.
///
/// It does no work itself, and has no lock, no thread and no clock.
///
/// ```swift
/// var queue = WorkQueue<Job, String>(limits: QueueLimits(maximumConcurrent: 4, maximumConcurrentPerKey: 2))
/// let (result, actions) = queue.submit(job, key: host, priority: .high, now: elapsed)
/// if case .started(let id) = result { run(job, id) }
/// for action in queue.finish(id) { perform(action) }
/// ```
///
/// Among items whose key has a free slot, the highest priority starts first, and equal priorities in order of
/// submission; ``PriorityAging`` adds the waiting time. Each accepted item ends exactly once: by
/// ``QueueAction/cancel(_:)``, ``QueueAction/expire(_:)`` or ``QueueAction/drop(_:)`` while it waits, or by the
/// caller's ``finish(_:)`` once it has started.
///
/// Each event takes amortized logarithmic time per item that it starts or ends; ``setLimits(_:)`` takes time linear in
/// the number of keys. Times are durations since a moment of the caller's choice, in nanoseconds of 64 bits (292 years
/// each way, clamped). They never run backwards: an earlier time counts as the latest one so far.
package struct WorkQueue<Item, Key: Hashable> {
    /// The identity of an item.
    package typealias ID = QueueItemID
    /// The action type of this queue.
    package typealias Action = QueueAction<(id: ID, item: Item)>

    private(set) var schedule: Schedule
    // By the slots and key numbers of the schedule.
    private(set) var items: [Item?] = []
    private(set) var keys = Interner<Key>()

    /// An empty queue.
    /// - Parameter aging: nil orders by priority alone.
    package init(limits: QueueLimits = QueueLimits(), aging: PriorityAging? = nil) {
        schedule = Schedule(limits: limits, aging: aging)
    }

    /// The limits; see ``setLimits(_:)``.
    package var limits: QueueLimits { schedule.limits }
    /// The number of running items.
    package var runningCount: Int { schedule.table.runningCount }
    /// The number of waiting items, suspended ones included.
    package var waitingCount: Int { schedule.table.waitingCount }
    /// True once the queue rejects new items, is empty, and no call is open.
    package var isDrained: Bool { schedule.isDrained }

    // MARK: Submitting and finishing

    /// Submits an item.
    /// - Parameters:
    ///   - key: the key for ``QueueLimits/maximumConcurrentPerKey``.
    ///   - tag: a group name for ``cancel(tag:)``.
    ///   - deadline: the time at which ``expire(now:)`` ends the item unless it has started.
    ///   - isCancellable: false if the running item cannot be stopped; cancelling it then has no effect.
    ///   - isOfOpenCall: true for a further item of an open call, which a draining queue does not reject.
    /// - Returns: the outcome, and the actions for other items that follow from it.
    package mutating func submit(
        _ item: Item, key: Key, priority: RequestPriority = .normal, tag: String? = nil, deadline: Duration? = nil,
        isCancellable: Bool = true, isOfOpenCall: Bool = false, now: Duration
    ) -> (result: SubmissionResult, actions: [Action]) {
        let (result, dropped) = schedule.submit(
            key: number(of: key), level: priority.level, tag: tag, deadline: deadline?.nanoseconds,
            isCancellable: isCancellable, isOfOpenCall: isOfOpenCall, now: now.nanoseconds)
        let actions = dropped.map { self.actions([.drop($0)]) } ?? []
        if let slot = result.id.map({ Int($0.slot) }) {
            if slot == items.count { items.append(item) } else { items[slot] = item }
        }
        return (result, actions)
    }

    /// Ends a running item. Does nothing if the item is not running.
    package mutating func finish(_ id: ID) -> [Action] {
        guard let actions = schedule.finish(id) else { return [] }
        items[Int(id.slot)] = nil
        return self.actions(actions)
    }

    /// The item, or nil if it has ended.
    package subscript(id: ID) -> Item? { schedule.table.slot(id).flatMap { items[$0] } }

    /// Replaces the value of an item that has not ended.
    /// - Returns: the previous value, or nil if the item has ended; then nothing changes.
    @discardableResult
    package mutating func replace(_ id: ID, with item: Item) -> Item? {
        guard let slot = schedule.table.slot(id) else { return nil }
        defer { items[slot] = item }
        return items[slot]
    }

    // MARK: Cancelling

    /// Ends a waiting item, or requests that a running one stops if it is cancellable.
    package mutating func cancel(_ id: ID) -> [Action] { actions(schedule.cancel(id)) }

    /// Cancels each item with a tag, as ``cancel(_:)`` does.
    package mutating func cancel(tag: String) -> [Action] { actions(schedule.cancel(tag: tag)) }

    /// Cancels every item, as ``cancel(_:)`` does.
    package mutating func cancelAll() -> [Action] { actions(schedule.cancelAll()) }

    // MARK: Time

    /// The earliest deadline of a waiting item, or nil; call ``expire(now:)`` then.
    package mutating func nextDeadline() -> Duration? { schedule.nextDeadline().map { .nanoseconds($0) } }

    /// Ends the waiting items whose deadline has passed.
    package mutating func expire(now: Duration) -> [Action] { actions(schedule.expire(now: now.nanoseconds)) }

    // MARK: Control

    /// Changes the limits. Items beyond lower limits keep running or waiting; suspended items are admitted unless the
    /// queue is still full and suspends.
    package mutating func setLimits(_ limits: QueueLimits) -> [Action] {
        actions(schedule.setLimits(limits, keys: keys.numbers))
    }

    /// Starts no further items until ``resume(_:)`` with the same reason. Pauses with one reason do not nest.
    package mutating func pause(_ reason: PauseReason = .manual) { schedule.pause(reason) }

    /// Removes a pause reason; the queue continues once none is left.
    package mutating func resume(_ reason: PauseReason = .manual) -> [Action] { actions(schedule.resume(reason)) }

    /// Rejects new items from now on, and reports ``QueueAction/drained`` once the queue is empty and no call is open.
    ///
    /// Items in a paused queue stay until it is resumed.
    package mutating func drain() -> [Action] { actions(schedule.drain()) }

    /// Counts a call that may submit further items: a drain waits for its end.
    package mutating func openCall() { schedule.openCall() }

    /// Ends a call of ``openCall()``.
    package mutating func closeCall() -> [Action] { actions(schedule.closeCall()) }

    // MARK: Mapping numbers

    private mutating func actions(_ decisions: [Schedule.Action]) -> [Action] {
        defer { shrink() }
        guard !decisions.isEmpty else { return [] }
        var actions: [Action] = []
        actions.reserveCapacity(decisions.count)
        for decision in decisions {
            switch decision {
            case .start(let id): if let item = items[Int(id.slot)] { actions.append(.start((id, item))) }
            case .admit(let id): if let item = items[Int(id.slot)] { actions.append(.admit((id, item))) }
            case .cancelRunning(let id):
                if let item = items[Int(id.slot)] { actions.append(.cancelRunning((id, item))) }
            case .cancel(let id): if let item = items[Int(id.slot)].take() { actions.append(.cancel((id, item))) }
            case .expire(let id): if let item = items[Int(id.slot)].take() { actions.append(.expire((id, item))) }
            case .drop(let id): if let item = items[Int(id.slot)].take() { actions.append(.drop((id, item))) }
            case .drained: actions.append(.drained)
            }
        }
        return actions
    }

    /// Releases items and keys after the schedule has released its slots and key numbers.
    private mutating func shrink() {
        guard schedule.table.all.isEmpty, !items.isEmpty else { return }
        items = []
        keys = Interner()
    }

    private mutating func number(of key: Key) -> Int {
        if let number = keys.number(of: key) { return number }
        // The next item often has the key of a finished one, so idle keys are removed only in bulk.
        if keys.count > 64, keys.count / 2 > schedule.keys.busyCount {
            keys.removeAll { [counters = schedule.keys] in counters.isIdle($0) }
        }
        return keys.insert(key)
    }
}

extension WorkQueue: Sendable where Item: Sendable, Key: Sendable {}
