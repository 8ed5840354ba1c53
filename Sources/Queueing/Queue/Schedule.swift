/// The decisions of a ``WorkQueue`` as a state machine over numbers.
///
/// ```
/// submit  -> started | waiting | suspended | full | draining
/// waiting, suspended -> started     a slot is free: finish, resume, setLimits
/// suspended -> waiting              the queue has capacity again
/// waiting, suspended -> ended       cancel, expire, dropped for a newer item
/// running -> cancelling             cancel, if the item is cancellable
/// running, cancelling -> finished   finish
/// ```
///
/// Items and keys are numbers here, so this code is not generic: it is compiled once and is equally fast for every
/// queue.
struct Schedule {
    typealias Action = QueueAction<QueueItemID>

    private(set) var limits: QueueLimits
    let aging: PriorityAging?
    /// Nothing starts unless this is empty.
    private(set) var pauseReasons: Set<PauseReason> = []
    private(set) var isDraining = false
    /// Calls that may submit further items.
    private(set) var openCallCount = 0
    private var hasReportedDrained = false
    /// The latest time passed in, in nanoseconds.
    private(set) var now = Int64.min

    private(set) var table = SlotTable()
    private(set) var keys = KeyCounters()
    private(set) var tags = TagIndex()
    private(set) var ready: ReadyQueue
    private var deadlines = DeadlineHeap()

    init(limits: QueueLimits, aging: PriorityAging?) {
        self.limits = limits
        self.aging = aging
        ready = ReadyQueue(aging: aging)
    }

    var isPaused: Bool { !pauseReasons.isEmpty }
    var isEmpty: Bool { table.runningCount == 0 && table.waitingCount == 0 }
    /// True if there is no item, and none can come while the schedule drains.
    var isDrained: Bool { isDraining && isEmpty && openCallCount == 0 }

    // MARK: Events

    /// - Parameter isOfOpenCall: true for a further item of a call that is counted; a drain waits for it.
    mutating func submit(
        key: Int, level: Int, tag: String?, deadline: Int64?, isCancellable: Bool, isOfOpenCall: Bool = false,
        now: Int64
    ) -> (result: SubmissionResult, dropped: QueueItemID?) {
        guard !isDraining || isOfOpenCall else { return (.draining, nil) }
        self.now = max(self.now, now)
        // If this item can start, no waiting item could have: it would have started before.
        let starts = !isPaused && hasFreeSlot && hasFreeSlot(key)
        var isSuspended = false
        var dropped: QueueItemID?
        if !starts, isFull {
            switch limits.overflowPolicy {
            case .suspend:
                isSuspended = true
            case .reject:
                return (.full, nil)
            case .dropOldest:
                guard let oldest = ready.oldestOfLowest, oldest.level <= level else { return (.full, nil) }
                dropped = table.id(oldest.slot)
                removeWaiting(oldest.slot)
            }
        }
        let slot = table.insert(key: key, level: level, arrival: self.now)
        let id = table.id(slot)
        table.all[slot].isCancellable = isCancellable
        if let tag { table.all[slot].tag = Int32(truncatingIfNeeded: tags.insert(slot, tag: tag)) }
        guard !starts else {
            start(slot)
            return (.started(id), nil)
        }
        table.wait(slot, isSuspended: isSuspended)
        keys.add(key, waiting: 1)
        ready.append(slot, key: key, level: level, sequence: id.serial, arrival: self.now)
        if let deadline {
            table.all[slot].hasDeadline = true
            deadlines.insert(deadline, for: id)
        }
        return (isSuspended ? .suspended(id) : .waiting(id), dropped)
    }

    /// - Returns: nil if the item is not running.
    mutating func finish(_ id: QueueItemID) -> [Action]? {
        guard let slot = table.slot(id), table.all[slot].isRunning else { return nil }
        let key = Int(table.all[slot].key)
        remove(slot)
        keys.add(key, running: -1)
        ready.setBlocked(!hasFreeSlot(key), key: key)
        return advance(after: [])
    }

    mutating func cancel(_ id: QueueItemID) -> [Action] { table.slot(id).map { cancel([$0]) } ?? [] }

    mutating func cancel(tag: String) -> [Action] { cancel(tags.slots(tag: tag)) }

    mutating func cancelAll() -> [Action] {
        var actions = cancel(table.runningSlots)
        while let oldest = ready.oldestOfLowest {
            actions.append(.cancel(table.id(oldest.slot)))
            removeWaiting(oldest.slot)
        }
        return advance(after: actions)
    }

    mutating func nextDeadline() -> Int64? { deadlines.first(in: table)?.deadline }

    mutating func expire(now: Int64) -> [Action] {
        self.now = max(self.now, now)
        var actions: [Action] = []
        while let first = deadlines.first(in: table), first.deadline <= self.now {
            actions.append(.expire(table.id(first.slot)))
            removeWaiting(first.slot)
        }
        return actions.isEmpty ? [] : advance(after: actions)
    }

    mutating func setLimits(_ limits: QueueLimits, keys numbers: some Sequence<Int>) -> [Action] {
        self.limits = limits
        for key in numbers { ready.setBlocked(!hasFreeSlot(key), key: key) }
        return advance(after: [])
    }

    mutating func pause(_ reason: PauseReason) { pauseReasons.insert(reason) }

    mutating func resume(_ reason: PauseReason) -> [Action] {
        pauseReasons.remove(reason)
        return advance(after: [])
    }

    mutating func drain() -> [Action] {
        isDraining = true
        return advance(after: [])
    }

    /// Counts a call that may submit further items.
    mutating func openCall() { openCallCount += 1 }

    mutating func closeCall() -> [Action] {
        openCallCount -= 1
        return isDraining ? advance(after: []) : []
    }

    // MARK: Parts of events

    private var hasFreeSlot: Bool { table.runningCount < max(1, limits.maximumConcurrent) }
    private func hasFreeSlot(_ key: Int) -> Bool { keys.running(key) < max(1, limits.maximumConcurrentPerKey) }
    private var isFull: Bool { table.waitingCount - table.suspendedCount >= max(0, limits.capacity) }

    private mutating func cancel(_ slots: [Int]) -> [Action] {
        var actions: [Action] = []
        for slot in slots {
            let id = table.id(slot)
            switch table.all[slot].state {
            case .free, .cancelling:
                continue
            case .waiting, .suspended:
                actions.append(.cancel(id))
                removeWaiting(slot)
            case .running where !table.all[slot].isCancellable:
                continue
            case .running:
                actions.append(.cancelRunning(id))
                table.cancelRunning(slot)
            }
        }
        return actions.isEmpty ? [] : advance(after: actions)
    }

    /// Starts and admits items that an event made room for, and reports the end of a drain.
    private mutating func advance(after actions: [Action]) -> [Action] {
        var actions = actions
        while !isPaused, hasFreeSlot, let slot = ready.first {
            dequeue(slot)
            start(slot)
            actions.append(.start(table.id(slot)))
        }
        while let slot = table.firstSuspended, limits.overflowPolicy != .suspend || !isFull {
            table.admit(slot)
            actions.append(.admit(table.id(slot)))
        }
        if isDrained, !hasReportedDrained {
            hasReportedDrained = true
            actions.append(.drained)
        }
        if isEmpty { shrink() }
        return actions
    }

    /// Starts an item that is not in the ready queue.
    private mutating func start(_ slot: Int) {
        let key = Int(table.all[slot].key)
        table.start(slot)
        keys.add(key, running: 1)
        ready.setBlocked(!hasFreeSlot(key), key: key)
    }

    private mutating func removeWaiting(_ slot: Int) {
        dequeue(slot)
        remove(slot)
    }

    private mutating func remove(_ slot: Int) {
        let tag = Int(table.all[slot].tag)
        if tag >= 0 { tags.remove(slot, number: tag) }
        table.remove(slot)
    }

    private mutating func dequeue(_ slot: Int) {
        ready.remove(slot)
        keys.add(Int(table.all[slot].key), waiting: -1)
        guard table.all[slot].hasDeadline else { return }
        table.all[slot].hasDeadline = false
        deadlines.removeLazily(in: table)
    }

    /// Releases the memory of a past load peak. The queue is empty; keys lose their numbers.
    private mutating func shrink() {
        guard table.all.count > 1024 else { return }
        table.removeAll()
        keys = KeyCounters()
        tags = TagIndex()
        ready = ReadyQueue(aging: aging)
        deadlines = DeadlineHeap()
    }
}
