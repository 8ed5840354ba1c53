import HTTPMessages
import Queueing

/// What a ``WorkQueue`` has to do, written for being read: one array, searched from end to end.
struct NaiveQueue {
    enum State { case waiting, held, running, stopping }
    struct Item {
        let number: Int
        let key: Int
        let level: Int
        let tag: String?
        let arrival: Duration
        let deadline: Duration?
        let isStoppable: Bool
        var state: State
        /// How many had started before it.
        var start = 0
        var isWaiting: Bool { state == .waiting || state == .held }
    }
    struct End: Equatable {
        let number: Int
        let ending: QueueEnding
    }
    /// What an event brought about, in order.
    struct Effects: Equatable {
        var admission: String?
        var starts: [Int] = []
        var accepts: [Int] = []
        var stops: [Int] = []
        var ends: [End] = []
        var isDrained = false
    }

    var limits: QueueLimits
    let ageing: QueueAgeing?
    var pauses: Set<PauseReason> = []
    var isDraining = false
    /// In order of arrival.
    var items: [Item] = []
    private var hasSaidDrained = false
    private var starts = 0

    init(limits: QueueLimits, ageing: QueueAgeing?) {
        self.limits = limits
        self.ageing = ageing
    }

    private var isPaused: Bool { !pauses.isEmpty }
    var running: Int { items.count { !$0.isWaiting } }
    var waiting: Int { items.count(where: \.isWaiting) }

    mutating func submit(_ item: Item) -> Effects {
        var item = item
        var effects = Effects()
        guard !isDraining else { return Effects(admission: "draining") }
        if !isPaused, running < max(1, limits.running), hasRoom(item.key) {
            start(&item)
            effects.admission = "started"
        } else if items.count(where: { $0.state == .waiting }) < max(0, limits.waiting) {
            item.state = .waiting
            effects.admission = "waiting"
        } else {
            switch limits.whenFull {
            case .reject: return Effects(admission: "full")
            case .wait:
                item.state = .held
                effects.admission = "held"
            case .dropOldest:
                let lowest = items.filter(\.isWaiting).map(\.level).min()
                guard let lowest, lowest <= item.level,
                    let victim = items.firstIndex(where: { $0.isWaiting && $0.level == lowest })
                else { return Effects(admission: "full") }
                effects.ends.append(End(number: items.remove(at: victim).number, ending: .dropped))
                item.state = .waiting
                effects.admission = "waiting"
            }
        }
        items.append(item)
        return effects
    }

    mutating func finish(_ number: Int) -> Effects {
        guard let index = items.firstIndex(where: { $0.number == number && !$0.isWaiting }) else { return Effects() }
        items.remove(at: index)
        return settled(Effects())
    }

    /// In order of arrival.
    mutating func cancel(_ isMeant: (Item) -> Bool) -> Effects { end(.cancelled, items.filter(isMeant)) }

    /// First those that run, in the order in which they started, then those that wait, from the lowest level up.
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
        return settled(Effects())
    }

    mutating func resume(_ reason: PauseReason) -> Effects {
        pauses.remove(reason)
        return settled(Effects())
    }

    mutating func drain() -> Effects {
        isDraining = true
        return settled(Effects())
    }

    private mutating func end(_ ending: QueueEnding, _ meant: [Item]) -> Effects {
        var effects = Effects()
        for item in meant {
            if item.isWaiting { effects.ends.append(End(number: item.number, ending: ending)) }
            if item.state == .running, item.isStoppable { effects.stops.append(item.number) }
        }
        let (stopped, ended) = (Set(effects.stops), Set(effects.ends.map(\.number)))
        for index in items.indices where stopped.contains(items[index].number) { items[index].state = .stopping }
        items.removeAll { ended.contains($0.number) }
        return settled(effects)
    }

    private mutating func start(_ item: inout Item) {
        item.state = .running
        item.start = starts
        starts += 1
    }

    private mutating func settled(_ effects: Effects) -> Effects {
        var effects = effects
        while !isPaused, running < max(1, limits.running), let next = nextIndex {
            var item = items[next]
            start(&item)
            items[next] = item
            effects.starts.append(items[next].number)
        }
        while let held = items.firstIndex(where: { $0.state == .held }),
            limits.whenFull != .wait || items.count(where: { $0.state == .waiting }) < max(0, limits.waiting)
        {
            items[held].state = .waiting
            effects.accepts.append(items[held].number)
        }
        effects.isDrained = isDraining && items.isEmpty && !hasSaidDrained
        if effects.isDrained { hasSaidDrained = true }
        return effects
    }

    private func hasRoom(_ key: Int) -> Bool {
        items.count { $0.key == key && !$0.isWaiting } < max(1, limits.runningPerKey)
    }

    private var nextIndex: Int? {
        let running = items.filter { !$0.isWaiting }.map(\.key)
        let candidates = items.indices.filter { index in
            items[index].isWaiting && running.count { $0 == items[index].key } < max(1, limits.runningPerKey)
        }
        return candidates.min { goesBefore(items[$0], items[$1]) }
    }

    func goesBefore(_ left: Item, _ right: Item) -> Bool {
        func start(_ item: Item) -> Duration {
            ageing.map { item.arrival - $0.interval * item.level } ?? .seconds(-item.level)
        }
        return start(left) != start(right) ? start(left) < start(right) : left.number < right.number
    }
}
