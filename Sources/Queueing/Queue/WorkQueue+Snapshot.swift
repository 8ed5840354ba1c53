import HTTPMessages

extension WorkQueue {
    /// Copies the running and waiting items.
    /// - Parameters:
    ///   - now: the time for ages.
    ///   - name: maps a key to the key of the snapshot.
    public func snapshot<Name>(now: Duration, name: (Key) -> Name) -> QueueSnapshot<Name> {
        snapshot(now: now, name: name) { _ in nil }
    }

    /// - Parameter method: maps an item to the method of its request.
    func snapshot<Name>(
        now: Duration, name: (Key) -> Name, method: (Item) -> HTTPMethod?
    ) -> QueueSnapshot<Name> {
        let now = max(schedule.now, now.nanoseconds)
        let table = schedule.table
        var names: [Int32: Name] = [:]
        func entry(_ number: Int) -> QueueSnapshot<Name>.Entry? {
            let slot = table.all[number]
            if names[slot.key] == nil { names[slot.key] = keys.value(of: Int(slot.key)).map(name) }
            guard let key = names[slot.key] else { return nil }
            return QueueSnapshot.Entry(
                id: table.id(number), key: key, method: items[number].flatMap(method),
                priority: RequestPriority(level: slot.level),
                tag: slot.tag < 0 ? nil : schedule.tags.tag(number: Int(slot.tag)),
                age: .nanoseconds(now) - .nanoseconds(slot.arrival), isSuspended: slot.state == .suspended,
                isCancelling: slot.state == .cancelling)
        }
        let waiting = table.all.indices.filter { table.all[$0].isWaiting }
            .map { (priority: schedule.ready.priority($0), slot: $0) }.sorted { $0.priority < $1.priority }
        return QueueSnapshot(
            running: table.runningSlots.compactMap(entry), waiting: waiting.compactMap { entry($0.slot) },
            limits: limits, pauseReasons: pauseReasons, isDraining: isDraining)
    }
}

extension WorkQueue where Key: Sendable {
    /// Copies the running and waiting items.
    /// - Parameter now: the time for ages.
    public func snapshot(now: Duration) -> QueueSnapshot<Key> { snapshot(now: now) { $0 } }
}
