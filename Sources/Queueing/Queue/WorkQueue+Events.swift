public import HTTPMessages

extension WorkQueue {
    // MARK: Coming and going

    /// An item comes.
    /// - Parameters:
    ///   - key: what it shares ``QueueLimits/runningPerKey`` with.
    ///   - tag: a name for ``cancel(tag:)``.
    ///   - deadline: when it ends unless it has started; ``expire(now:)`` sees to that.
    /// - Returns: what became of it, and what is to be done because of that with others.
    public mutating func submit(
        _ item: Item, key: Key, priority: RequestPriority = .normal, tag: String? = nil, deadline: Duration? = nil,
        now: Duration
    ) -> (admission: Admission, actions: [Action]) {
        guard !isDraining else { return (.draining, []) }
        self.now = max(self.now, now.nanoseconds)
        let key = keys.number(of: key)
        // Whoever waits could not start either: else it would have.
        let starts = !isPaused && runningCount < max(1, limits.running) && hasRoom(key)
        var isHeld = false
        var actions: [Action] = []
        if !starts, waitingCount - places.heldCount >= max(0, limits.waiting) {
            switch limits.whenFull {
            case .wait:
                isHeld = true
            case .reject:
                return (.full, [])
            case .dropOldest:
                guard let (slot, level) = line.oldestOfLowest, level <= priority.level else { return (.full, []) }
                end(slot, .dropped, &actions)
            }
        }
        let slot = places.insert(item, key: key, level: priority.level, arrival: self.now)
        let id = places.id(slot)
        if let tag { places.all[slot].tag = Int32(truncatingIfNeeded: tags.insert(slot, tag: tag)) }
        guard !starts else {
            run(slot)
            return (.started(id), [])
        }
        places.wait(slot, isHeld: isHeld)
        keys.add(key, waiting: 1)
        line.append(slot, key: key, level: priority.level, sequence: id.serial, arrival: self.now)
        if let deadline {
            places.all[slot].hasDeadline = true
            deadlines.insert(deadline.nanoseconds, for: id)
        }
        return (isHeld ? .held(id) : .waiting(id), actions)
    }

    /// An item that had started is done, or has been given up.
    ///
    /// Nothing happens when no such item runs.
    public mutating func finish(_ id: ID) -> [Action] {
        guard let slot = places.slot(id), places.all[slot].isRunning else { return [] }
        let key = Int(places.all[slot].key)
        _ = remove(slot)
        keys.add(key, running: -1)
        line.setClosed(!hasRoom(key), key: key)
        return settled([])
    }

    /// Puts another item in the place of one that has not ended.
    public mutating func replace(_ id: ID, with item: Item) {
        if let slot = places.slot(id) { places.replace(slot, with: item) }
    }

    // MARK: Cancelling

    /// Ends an item that waits, or says that it is to stop if it runs.
    public mutating func cancel(_ id: ID) -> [Action] {
        places.slot(id).map { cancel([$0]) } ?? []
    }

    /// Does what ``cancel(_:)`` does with every item that has a tag.
    public mutating func cancel(tag: String) -> [Action] { cancel(tags.slots(tag: tag)) }

    /// Does what ``cancel(_:)`` does with every item.
    public mutating func cancelAll() -> [Action] {
        var actions = cancel(places.runningSlots)
        while let (slot, _) = line.oldestOfLowest { end(slot, .cancelled, &actions) }
        return settled(actions)
    }

    private mutating func cancel(_ slots: [Int]) -> [Action] {
        var actions: [Action] = []
        for slot in slots {
            switch places.all[slot].state {
            case .free, .stopping: continue
            case .waiting, .held: end(slot, .cancelled, &actions)
            case .running:
                places.stop(slot)
                if let item = places.all[slot].item { actions.append(.stop(places.id(slot), item)) }
            }
        }
        return actions.isEmpty ? [] : settled(actions)
    }

    // MARK: Time

    /// When ``expire(now:)`` has something to do, or nil.
    public mutating func nextDeadline() -> Duration? {
        deadlines.first(in: places).map { .nanoseconds($0.moment) }
    }

    /// Ends what waits and has come to its deadline.
    public mutating func expire(now: Duration) -> [Action] {
        self.now = max(self.now, now.nanoseconds)
        var actions: [Action] = []
        while let (slot, moment) = deadlines.first(in: places), moment <= self.now { end(slot, .expired, &actions) }
        return actions.isEmpty ? [] : settled(actions)
    }

    // MARK: Control

    /// From now on other limits hold. What runs or waits beyond them may go on; what is held is accepted, unless the
    /// queue still holds.
    public mutating func setLimits(_ limits: QueueLimits) -> [Action] {
        self.limits = limits
        for key in keys.numbers { line.setClosed(!hasRoom(key), key: key) }
        return settled([])
    }

    /// Starts nothing new until ``resume()``.
    public mutating func pause() { isPaused = true }

    /// Ends a pause.
    public mutating func resume() -> [Action] {
        isPaused = false
        return settled([])
    }

    /// Takes nothing new any more, and says so once nothing is left. What waits in a paused queue is left.
    public mutating func drain() -> [Action] {
        guard !isDraining else { return [] }
        isDraining = true
        return settled([])
    }
}
