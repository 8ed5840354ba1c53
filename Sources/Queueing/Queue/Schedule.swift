/// Who is to start when: what a ``WorkQueue`` decides, in terms of numbers.
///
/// The queue's items and keys have numbers here, which keeps this code free of their types: it is compiled once, and is
/// as quick for every queue.
struct Schedule {
    /// What a decision means for one item.
    enum Step {
        case start(QueueItemID)
        case accept(QueueItemID)
        case end(QueueItemID, QueueEnding)
        case stop(QueueItemID)
        case drained
    }

    private(set) var limits: QueueLimits
    let ageing: QueueAgeing?
    /// Why nothing new starts; nothing does while there is a reason.
    private(set) var pauses: Set<PauseReason> = []
    private(set) var isDraining = false
    private var hasSaidDrained = false
    /// The latest time that was said, in nanoseconds.
    private(set) var now = Int64.min

    private(set) var places = PlaceTable()
    private(set) var keys = KeyLoads()
    private(set) var tags = TagIndex()
    private(set) var line: WaitingLine
    private var deadlines = DeadlineHeap()

    init(limits: QueueLimits, ageing: QueueAgeing?) {
        self.limits = limits
        self.ageing = ageing
        line = WaitingLine(ageing: ageing)
    }

    var isPaused: Bool { !pauses.isEmpty }
    var isEmpty: Bool { places.runningCount == 0 && places.waitingCount == 0 }

    // MARK: Events

    mutating func submit(
        key: Int, level: Int, tag: String?, deadline: Int64?, isStoppable: Bool, now: Int64
    ) -> (admission: QueueAdmission, dropped: QueueItemID?) {
        guard !isDraining else { return (.draining, nil) }
        self.now = max(self.now, now)
        // Whoever waits could not start either: else it would have.
        let starts = !isPaused && hasRoom && hasRoom(key)
        var isHeld = false
        var dropped: QueueItemID?
        if !starts, isFull {
            switch limits.whenFull {
            case .wait:
                isHeld = true
            case .reject:
                return (.full, nil)
            case .dropOldest:
                guard let oldest = line.oldestOfLowest, oldest.level <= level else { return (.full, nil) }
                dropped = places.id(oldest.slot)
                end(oldest.slot)
            }
        }
        let slot = places.insert(key: key, level: level, arrival: self.now)
        let id = places.id(slot)
        places.all[slot].isStoppable = isStoppable
        if let tag { places.all[slot].tag = Int32(truncatingIfNeeded: tags.insert(slot, tag: tag)) }
        guard !starts else {
            run(slot)
            return (.started(id), nil)
        }
        places.wait(slot, isHeld: isHeld)
        keys.change(key, waiting: 1)
        line.append(slot, key: key, level: level, sequence: id.serial, arrival: self.now)
        if let deadline {
            places.all[slot].hasDeadline = true
            deadlines.insert(deadline, for: id)
        }
        return (isHeld ? .held(id) : .waiting(id), dropped)
    }

    /// - Returns: nil when no such item runs.
    mutating func finish(_ id: QueueItemID) -> [Step]? {
        guard let slot = places.slot(id), places.all[slot].isRunning else { return nil }
        let key = Int(places.all[slot].key)
        remove(slot)
        keys.change(key, running: -1)
        line.setClosed(!hasRoom(key), key: key)
        return settled([])
    }

    mutating func cancel(_ id: QueueItemID) -> [Step] { places.slot(id).map { cancel([$0]) } ?? [] }

    mutating func cancel(tag: String) -> [Step] { cancel(tags.slots(tag: tag)) }

    mutating func cancelAll() -> [Step] {
        var steps = cancel(places.runningSlots)
        while let oldest = line.oldestOfLowest {
            steps.append(.end(places.id(oldest.slot), .cancelled))
            end(oldest.slot)
        }
        return settled(steps)
    }

    mutating func nextDeadline() -> Int64? { deadlines.first(in: places)?.moment }

    mutating func expire(now: Int64) -> [Step] {
        self.now = max(self.now, now)
        var steps: [Step] = []
        while let first = deadlines.first(in: places), first.moment <= self.now {
            steps.append(.end(places.id(first.slot), .expired))
            end(first.slot)
        }
        return steps.isEmpty ? [] : settled(steps)
    }

    mutating func setLimits(_ limits: QueueLimits, keys numbers: some Sequence<Int>) -> [Step] {
        self.limits = limits
        for key in numbers { line.setClosed(!hasRoom(key), key: key) }
        return settled([])
    }

    mutating func pause(_ reason: PauseReason) { pauses.insert(reason) }

    mutating func resume(_ reason: PauseReason) -> [Step] {
        pauses.remove(reason)
        return settled([])
    }

    mutating func drain() -> [Step] {
        isDraining = true
        return settled([])
    }

    // MARK: Parts of them

    private var hasRoom: Bool { places.runningCount < max(1, limits.running) }
    private func hasRoom(_ key: Int) -> Bool { keys.running(key) < max(1, limits.runningPerKey) }
    private var isFull: Bool { places.waitingCount - places.heldCount >= max(0, limits.waiting) }

    private mutating func cancel(_ slots: [Int]) -> [Step] {
        var steps: [Step] = []
        for slot in slots {
            let id = places.id(slot)
            switch places.all[slot].state {
            case .free, .stopping:
                continue
            case .waiting, .held:
                steps.append(.end(id, .cancelled))
                end(slot)
            case .running where !places.all[slot].isStoppable:
                continue
            case .running:
                steps.append(.stop(id))
                places.stop(slot)
            }
        }
        return steps.isEmpty ? [] : settled(steps)
    }

    /// Does what has become possible.
    private mutating func settled(_ steps: [Step]) -> [Step] {
        var steps = steps
        while !isPaused, hasRoom, let slot = line.first {
            leaveLine(slot)
            run(slot)
            steps.append(.start(places.id(slot)))
        }
        while let slot = places.firstHeld, limits.whenFull != .wait || !isFull {
            places.accept(slot)
            steps.append(.accept(places.id(slot)))
        }
        if isDraining, isEmpty, !hasSaidDrained {
            hasSaidDrained = true
            steps.append(.drained)
        }
        if isEmpty { shrink() }
        return steps
    }

    /// Starts who is in a slot and not in line.
    private mutating func run(_ slot: Int) {
        let key = Int(places.all[slot].key)
        places.run(slot)
        keys.change(key, running: 1)
        line.setClosed(!hasRoom(key), key: key)
    }

    /// Ends who waits in a slot.
    private mutating func end(_ slot: Int) {
        leaveLine(slot)
        remove(slot)
    }

    private mutating func remove(_ slot: Int) {
        let tag = Int(places.all[slot].tag)
        if tag >= 0 { tags.remove(slot, number: tag) }
        places.remove(slot)
    }

    private mutating func leaveLine(_ slot: Int) {
        line.remove(slot)
        keys.change(Int(places.all[slot].key), waiting: -1)
        guard places.all[slot].hasDeadline else { return }
        places.all[slot].hasDeadline = false
        deadlines.leave(in: places)
    }

    /// Gives back the memory of a rush that is over. Keys have no numbers then.
    private mutating func shrink() {
        guard places.all.count > 1024 else { return }
        places.removeAll()
        keys = KeyLoads()
        tags = TagIndex()
        line = WaitingLine(ageing: ageing)
        deadlines = DeadlineHeap()
    }
}
