public import HTTPMessages

/// A queue of work as a state machine: takes what happens, says what to do. It does no work itself, and knows no lock, no
/// thread and no clock.
///
/// ```swift
/// var queue = WorkQueue<Job, String>(limits: QueueLimits(running: 4, runningPerKey: 2))
/// let (admission, actions) = queue.submit(job, key: host, priority: .immediate, now: elapsed)
/// if case .started(let id) = admission { run(job, id) }
/// for action in queue.finish(id) { perform(action) }
/// ```
///
/// Of those whose key has room, the highest priority goes first, and within a priority the one that came first;
/// ``QueueAgeing`` lets a long wait count too. Every item that is not refused ends exactly once: by
/// ``QueueAction/end(_:_:_:)`` while it waits, or by the caller's ``finish(_:)`` once it has started.
///
/// Each event takes logarithmic time at most, averaged over many, for each item that it starts or ends.
/// ``setLimits(_:)`` takes time for each key. Times are durations since a moment of the caller's, kept to the nanosecond for
/// 292 years before and after it; one that is earlier than one before counts as that.
public struct WorkQueue<Item, Key: Hashable> {
    /// Names one item.
    public typealias ID = QueueItemID
    /// What became of an item that was submitted.
    public typealias Admission = QueueAdmission
    /// Something to do.
    public typealias Action = QueueAction<Item>

    private(set) var schedule: Schedule
    // By the slots and the numbers that the schedule knows them by.
    private(set) var items: [Item?] = []
    private(set) var keys = Numbering<Key>()

    /// An empty queue.
    /// - Parameter ageing: lets a long wait count, or nil for priorities alone.
    public init(limits: QueueLimits = QueueLimits(), ageing: QueueAgeing? = nil) {
        schedule = Schedule(limits: limits, ageing: ageing)
    }

    /// The limits; see ``setLimits(_:)``.
    public var limits: QueueLimits { schedule.limits }
    /// How long waits count, or nil.
    public var ageing: QueueAgeing? { schedule.ageing }
    /// How many run.
    public var runningCount: Int { schedule.places.runningCount }
    /// How many wait, those included that are held.
    public var waitingCount: Int { schedule.places.waitingCount }
    /// True while nothing new starts.
    public var isPaused: Bool { schedule.isPaused }
    /// Why nothing new starts; empty while the queue is not paused.
    public var pauses: Set<PauseReason> { schedule.pauses }
    /// True once nothing new is taken.
    public var isDraining: Bool { schedule.isDraining }
    /// True once nothing new is taken, and nothing is left.
    public var isDrained: Bool { schedule.isDraining && schedule.isEmpty }

    // MARK: Coming and going

    /// An item comes.
    /// - Parameters:
    ///   - key: what it shares ``QueueLimits/runningPerKey`` with.
    ///   - tag: a name for ``cancel(tag:)``.
    ///   - deadline: when it ends unless it has started; ``expire(now:)`` sees to that.
    ///   - isStoppable: whether whoever runs it can stop it. If not, cancelling it while it runs does nothing.
    /// - Returns: what became of it, and what is to be done because of that with others.
    public mutating func submit(
        _ item: Item, key: Key, priority: RequestPriority = .normal, tag: String? = nil, deadline: Duration? = nil,
        isStoppable: Bool = true, now: Duration
    ) -> (admission: Admission, actions: [Action]) {
        let (admission, dropped) = schedule.submit(
            key: number(of: key), level: priority.level, tag: tag, deadline: deadline?.nanoseconds,
            isStoppable: isStoppable, now: now.nanoseconds)
        let actions = dropped.map { self.actions([.end($0, .dropped)]) } ?? []
        if let slot = admission.id.map({ Int($0.slot) }) {
            if slot == items.count { items.append(item) } else { items[slot] = item }
        }
        return (admission, actions)
    }

    /// An item that had started is done, or has been given up.
    ///
    /// Nothing happens when no such item runs.
    public mutating func finish(_ id: ID) -> [Action] {
        guard let steps = schedule.finish(id) else { return [] }
        items[Int(id.slot)] = nil
        return actions(steps)
    }

    /// The item, or nil when it has ended.
    public subscript(id: ID) -> Item? { schedule.places.slot(id).flatMap { items[$0] } }

    /// Puts another item in the place of one that has not ended.
    /// - Returns: the one that was there, or nil when it has ended, and nothing changes.
    @discardableResult
    public mutating func replace(_ id: ID, with item: Item) -> Item? {
        guard let slot = schedule.places.slot(id) else { return nil }
        defer { items[slot] = item }
        return items[slot]
    }

    // MARK: Cancelling

    /// Ends an item that waits, or says that it is to stop if it runs and can be stopped.
    public mutating func cancel(_ id: ID) -> [Action] { actions(schedule.cancel(id)) }

    /// Does what ``cancel(_:)`` does with every item that has a tag.
    public mutating func cancel(tag: String) -> [Action] { actions(schedule.cancel(tag: tag)) }

    /// Does what ``cancel(_:)`` does with every item.
    public mutating func cancelAll() -> [Action] { actions(schedule.cancelAll()) }

    // MARK: Time

    /// When ``expire(now:)`` has something to do, or nil.
    public mutating func nextDeadline() -> Duration? { schedule.nextDeadline().map { .nanoseconds($0) } }

    /// Ends what waits and has come to its deadline.
    public mutating func expire(now: Duration) -> [Action] { actions(schedule.expire(now: now.nanoseconds)) }

    // MARK: Control

    /// From now on other limits hold. What runs or waits beyond them may go on; what is held is accepted, unless the
    /// queue still holds.
    public mutating func setLimits(_ limits: QueueLimits) -> [Action] {
        actions(schedule.setLimits(limits, keys: keys.numbers))
    }

    /// Starts nothing new until ``resume(_:)`` was called for the same reason. A second pause for one reason adds nothing.
    public mutating func pause(_ reason: PauseReason = .program) { schedule.pause(reason) }

    /// Takes a reason to pause away. The queue goes on when it was the last.
    public mutating func resume(_ reason: PauseReason = .program) -> [Action] { actions(schedule.resume(reason)) }

    /// Takes nothing new any more, and says so once nothing is left. What waits in a paused queue is left.
    public mutating func drain() -> [Action] { actions(schedule.drain()) }

    // MARK: Names and numbers

    private mutating func actions(_ steps: [Schedule.Step]) -> [Action] {
        defer { shrink() }
        guard !steps.isEmpty else { return [] }
        var actions: [Action] = []
        actions.reserveCapacity(steps.count)
        for step in steps {
            switch step {
            case .start(let id): if let item = items[Int(id.slot)] { actions.append(.start(id, item)) }
            case .accept(let id): if let item = items[Int(id.slot)] { actions.append(.accept(id, item)) }
            case .end(let id, let ending):
                if let item = items[Int(id.slot)].take() { actions.append(.end(id, item, ending)) }
            case .stop(let id): if let item = items[Int(id.slot)] { actions.append(.stop(id, item)) }
            case .drained: actions.append(.drained)
            }
        }
        return actions
    }

    /// Gives back what belongs to slots and numbers that the schedule has given back.
    private mutating func shrink() {
        guard schedule.places.all.isEmpty, !items.isEmpty else { return }
        items = []
        keys = Numbering()
    }

    private mutating func number(of key: Key) -> Int {
        if let number = keys.number(of: key) { return number }
        // The next item often has the key of one that is done, so keys are forgotten only now and then.
        if keys.count > 64, keys.count / 2 > schedule.keys.busyCount {
            keys.removeAll { [loads = schedule.keys] in loads.isIdle($0) }
        }
        return keys.insert(key)
    }
}

extension WorkQueue: Sendable where Item: Sendable, Key: Sendable {}
