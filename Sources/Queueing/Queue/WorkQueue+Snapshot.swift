import HTTPMessages

extension WorkQueue {
    /// Copies the running and waiting items.
    /// - Parameters:
    ///   - now: the time for ages.
    ///   - origin: maps a key to its text.
    ///   - method: maps an item to the method of its request.
    func snapshot(now: Duration, origin: (Key) -> String, method: (Item) -> HTTPMethod) -> QueueSnapshot {
        let now = max(schedule.now, now.nanoseconds)
        let table = schedule.table
        var origins: [Int32: String] = [:]
        func entry(_ number: Int) -> QueueSnapshot.Entry? {
            let slot = table.all[number]
            if origins[slot.key] == nil { origins[slot.key] = keys.value(of: Int(slot.key)).map(origin) }
            guard let origin = origins[slot.key], let item = items[number] else { return nil }
            return QueueSnapshot.Entry(
                id: table.id(number), origin: origin, method: method(item),
                priority: RequestPriority(level: slot.level),
                tag: slot.tag < 0 ? nil : schedule.tags.tag(number: Int(slot.tag)),
                age: .nanoseconds(now) - .nanoseconds(slot.arrival), isSuspended: slot.state == .suspended,
                isCancelling: slot.state == .cancelling)
        }
        let waiting = table.all.indices.filter { table.all[$0].isWaiting }
            .map { (priority: schedule.ready.priority($0), slot: $0) }.sorted { $0.priority < $1.priority }
        return QueueSnapshot(
            running: table.runningSlots.compactMap(entry), waiting: waiting.compactMap { entry($0.slot) },
            limits: limits, pauseReasons: schedule.pauseReasons, isDraining: schedule.isDraining)
    }
}
