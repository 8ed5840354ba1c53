extension WorkQueue {
    func hasRoom(_ key: Int) -> Bool { keys.running(key) < max(1, limits.runningPerKey) }

    /// Does what has become possible.
    mutating func settled(_ actions: [Action]) -> [Action] {
        var actions = actions
        while !isPaused, runningCount < max(1, limits.running), let slot = line.first {
            leaveLine(slot)
            run(slot)
            if let item = places.all[slot].item { actions.append(.start(places.id(slot), item)) }
        }
        while let slot = places.firstHeld,
            limits.whenFull != .wait || waitingCount - places.heldCount < max(0, limits.waiting)
        {
            places.accept(slot)
            if let item = places.all[slot].item { actions.append(.accept(places.id(slot), item)) }
        }
        if isDrained, !hasSaidDrained {
            hasSaidDrained = true
            actions.append(.drained)
        }
        if isEmpty { shrink() }
        return actions
    }

    /// Starts what is in a slot and not in line.
    mutating func run(_ slot: Int) {
        let key = Int(places.all[slot].key)
        places.run(slot)
        keys.add(key, running: 1)
        line.setClosed(!hasRoom(key), key: key)
    }

    /// Ends what waits in a slot.
    mutating func end(_ slot: Int, _ ending: Ending, _ actions: inout [Action]) {
        let id = places.id(slot)
        leaveLine(slot)
        if let item = remove(slot) { actions.append(.end(id, item, ending)) }
    }

    mutating func remove(_ slot: Int) -> Item? {
        let tag = Int(places.all[slot].tag)
        if tag >= 0 { tags.remove(slot, number: tag) }
        return places.remove(slot)
    }

    private mutating func leaveLine(_ slot: Int) {
        line.remove(slot)
        keys.add(Int(places.all[slot].key), waiting: -1)
        guard places.all[slot].hasDeadline else { return }
        places.all[slot].hasDeadline = false
        deadlines.leave(in: places)
    }

    /// Gives back the memory of a rush that is over.
    private mutating func shrink() {
        guard places.all.count > 1024 else { return }
        places.removeAll()
        tags = TagIndex()
        line = WaitingLine(ageing: ageing)
        deadlines = DeadlineHeap()
    }
}
