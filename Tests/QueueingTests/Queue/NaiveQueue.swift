import HTTPMessages
import Queueing

/// The reference model of ``WorkQueue``, written for readability: one array with linear search.
struct NaiveQueue {
    enum State { case waiting, suspended, running, cancelling }
    struct Item {
        let number: Int
        let key: Int
        let level: Int
        let tag: String?
        let arrival: Duration
        let deadline: Duration?
        let isCancellable: Bool
        var state: State
        /// The number of items started before it.
        var start = 0
        var isWaiting: Bool { state == .waiting || state == .suspended }
    }
    /// The reason why a waiting item left the queue.
    enum Reason { case cancelled, expired, dropped }
    struct End: Equatable {
        let number: Int
        let reason: Reason
    }
    /// The effects of an event, in order.
    struct Effects: Equatable {
        var result: String?
        var starts: [Int] = []
        var admissions: [Int] = []
        var cancellations: [Int] = []
        var ends: [End] = []
        var isDrained = false
    }

    var limits: QueueLimits
    let aging: PriorityAging?
    var pauseReasons: Set<PauseReason> = []
    var isDraining = false
    /// In order of arrival.
    var items: [Item] = []
    private var hasReportedDrained = false
    private var starts = 0

    init(limits: QueueLimits, aging: PriorityAging?) {
        self.limits = limits
        self.aging = aging
    }

    private var isPaused: Bool { !pauseReasons.isEmpty }
    var running: Int { items.count { !$0.isWaiting } }
    var waiting: Int { items.count(where: \.isWaiting) }

    mutating func submit(_ item: Item) -> Effects {
        var item = item
        var effects = Effects()
        guard !isDraining else { return Effects(result: "draining") }
        if !isPaused, running < max(1, limits.maximumConcurrent), hasFreeSlot(item.key) {
            start(&item)
            effects.result = "started"
        } else if items.count(where: { $0.state == .waiting }) < max(0, limits.capacity) {
            item.state = .waiting
            effects.result = "waiting"
        } else {
            switch limits.overflowPolicy {
            case .reject: return Effects(result: "full")
            case .suspend:
                item.state = .suspended
                effects.result = "suspended"
            case .dropOldest:
                let lowest = items.filter(\.isWaiting).map(\.level).min()
                guard let lowest, lowest <= item.level,
                    let victim = items.firstIndex(where: { $0.isWaiting && $0.level == lowest })
                else { return Effects(result: "full") }
                effects.ends.append(End(number: items.remove(at: victim).number, reason: .dropped))
                item.state = .waiting
                effects.result = "waiting"
            }
        }
        items.append(item)
        return effects
    }

    mutating func finish(_ number: Int) -> Effects {
        guard let index = items.firstIndex(where: { $0.number == number && !$0.isWaiting }) else { return Effects() }
        items.remove(at: index)
        return advance(after: Effects())
    }

    /// In order of arrival.
    mutating func cancel(_ isMeant: (Item) -> Bool) -> Effects { end(.cancelled, items.filter(isMeant)) }

    /// Running items in order of their start, then waiting ones from the lowest level up.
    mutating func cancelAll() -> Effects {
        let running = items.filter { !$0.isWaiting }.sorted { $0.start < $1.start }
        let waiting = items.filter(\.isWaiting).sorted { ($0.level, $0.number) < ($1.level, $1.number) }
        return end(.cancelled, running + waiting)
    }

    /// In order of deadlines.
    mutating func expire(now: Duration) -> Effects {
        let due = items.filter { $0.isWaiting && $0.deadline.map { $0 <= now } ?? false }
        return end(
            .expired, due.sorted { ($0.deadline ?? .zero, $0.number) < ($1.deadline ?? .zero, $1.number) })
    }

    mutating func setLimits(_ limits: QueueLimits) -> Effects {
        self.limits = limits
        return advance(after: Effects())
    }

    mutating func resume(_ reason: PauseReason) -> Effects {
        pauseReasons.remove(reason)
        return advance(after: Effects())
    }

    mutating func drain() -> Effects {
        isDraining = true
        return advance(after: Effects())
    }

    private mutating func end(_ reason: Reason, _ meant: [Item]) -> Effects {
        var effects = Effects()
        for item in meant {
            if item.isWaiting { effects.ends.append(End(number: item.number, reason: reason)) }
            if item.state == .running, item.isCancellable { effects.cancellations.append(item.number) }
        }
        let (cancelled, ended) = (Set(effects.cancellations), Set(effects.ends.map(\.number)))
        for index in items.indices where cancelled.contains(items[index].number) { items[index].state = .cancelling }
        items.removeAll { ended.contains($0.number) }
        return advance(after: effects)
    }

    private mutating func start(_ item: inout Item) {
        item.state = .running
        item.start = starts
        starts += 1
    }

    private mutating func advance(after effects: Effects) -> Effects {
        var effects = effects
        while !isPaused, running < max(1, limits.maximumConcurrent), let next = nextIndex {
            var item = items[next]
            start(&item)
            items[next] = item
            effects.starts.append(items[next].number)
        }
        while let suspended = items.firstIndex(where: { $0.state == .suspended }),
            limits.overflowPolicy != .suspend || items.count(where: { $0.state == .waiting }) < max(0, limits.capacity)
        {
            items[suspended].state = .waiting
            effects.admissions.append(items[suspended].number)
        }
        effects.isDrained = isDraining && items.isEmpty && !hasReportedDrained
        if effects.isDrained { hasReportedDrained = true }
        return effects
    }

    private func hasFreeSlot(_ key: Int) -> Bool {
        items.count { $0.key == key && !$0.isWaiting } < max(1, limits.maximumConcurrentPerKey)
    }

    private var nextIndex: Int? {
        let running = items.filter { !$0.isWaiting }.map(\.key)
        let candidates = items.indices.filter { index in
            items[index].isWaiting && running.count { $0 == items[index].key } < max(1, limits.maximumConcurrentPerKey)
        }
        return candidates.min { goesBefore(items[$0], items[$1]) }
    }

    func goesBefore(_ left: Item, _ right: Item) -> Bool {
        func start(_ item: Item) -> Duration {
            aging.map { item.arrival - $0.interval * item.level } ?? .seconds(-item.level)
        }
        return start(left) != start(right) ? start(left) < start(right) : left.number < right.number
    }
}
