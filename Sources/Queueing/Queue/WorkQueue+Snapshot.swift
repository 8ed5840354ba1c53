import HTTPMessages

extension WorkQueue {
    /// What runs and what waits.
    /// - Parameters:
    ///   - now: the time that ages are counted to.
    ///   - name: what stands for a key.
    public func snapshot<Name>(now: Duration, name: (Key) -> Name) -> QueueSnapshot<Name> {
        snapshot(now: now, name: name) { _ in nil }
    }

    /// - Parameter method: of the request that an item stands for.
    func snapshot<Name>(
        now: Duration, name: (Key) -> Name, method: (Item) -> HTTPMethod?
    ) -> QueueSnapshot<Name> {
        let now = max(schedule.now, now.nanoseconds)
        let places = schedule.places
        var names: [Int32: Name] = [:]
        func entry(_ slot: Int) -> QueueSnapshot<Name>.Entry? {
            let place = places.all[slot]
            if names[place.key] == nil { names[place.key] = keys.name(of: Int(place.key)).map(name) }
            guard let key = names[place.key] else { return nil }
            return QueueSnapshot.Entry(
                id: places.id(slot), key: key, method: items[slot].flatMap(method),
                priority: RequestPriority(level: place.level),
                tag: place.tag < 0 ? nil : schedule.tags.tag(number: Int(place.tag)),
                age: .nanoseconds(now) - .nanoseconds(place.arrival), isHeld: place.state == .held,
                isStopping: place.state == .stopping)
        }
        let waiting = places.all.indices.filter { places.all[$0].isWaiting }
            .map { (rank: schedule.line.rank($0), slot: $0) }.sorted { $0.rank < $1.rank }
        return QueueSnapshot(
            running: places.runningSlots.compactMap(entry), waiting: waiting.compactMap { entry($0.slot) },
            limits: limits, pauses: pauses, isDraining: isDraining)
    }
}

extension WorkQueue where Key: Sendable {
    /// What runs and what waits.
    /// - Parameter now: the time that ages are counted to.
    public func snapshot(now: Duration) -> QueueSnapshot<Key> { snapshot(now: now) { $0 } }
}
