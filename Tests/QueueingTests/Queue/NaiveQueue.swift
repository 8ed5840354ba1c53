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
        var state: State
        var isWaiting: Bool { state == .waiting || state == .held }
    }
    /// What an event brought about.
    struct Effects: Equatable {
        var admission: String?
        var starts: [Int] = []
        var accepts: [Int] = []
        var stops: Set<Int> = []
        var ends: [Int: QueueEnding] = [:]
        var isDrained = false
    }

    var limits: QueueLimits
    let ageing: QueueAgeing?
    var isPaused = false
    var isDraining = false
    /// In order of arrival.
    var items: [Item] = []
    private var hasSaidDrained = false

    init(limits: QueueLimits, ageing: QueueAgeing?) {
        self.limits = limits
        self.ageing = ageing
    }

    var running: Int { items.count { !$0.isWaiting } }
    var waiting: Int { items.count(where: \.isWaiting) }

    mutating func submit(_ item: Item) -> Effects {
        var item = item
        var effects = Effects()
        guard !isDraining else { return Effects(admission: "draining") }
        if !isPaused, running < max(1, limits.running), hasRoom(item.key) {
            item.state = .running
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
                effects.ends[items.remove(at: victim).number] = .dropped
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

    mutating func cancel(_ isMeant: (Item) -> Bool) -> Effects { end(.cancelled, isMeant) }

    mutating func expire(now: Duration) -> Effects {
        end(.expired) { $0.isWaiting && $0.deadline.map { $0 <= now } ?? false }
    }

    mutating func setLimits(_ limits: QueueLimits) -> Effects {
        self.limits = limits
        return settled(Effects())
    }

    mutating func resume() -> Effects {
        isPaused = false
        return settled(Effects())
    }

    mutating func drain() -> Effects {
        isDraining = true
        return settled(Effects())
    }

    private mutating func end(_ ending: QueueEnding, _ isMeant: (Item) -> Bool) -> Effects {
        var effects = Effects()
        for item in items where isMeant(item) {
            if item.isWaiting { effects.ends[item.number] = ending }
            if item.state == .running { effects.stops.insert(item.number) }
        }
        for index in items.indices where effects.stops.contains(items[index].number) { items[index].state = .stopping }
        items.removeAll { effects.ends[$0.number] != nil }
        return settled(effects)
    }

    private mutating func settled(_ effects: Effects) -> Effects {
        var effects = effects
        while !isPaused, running < max(1, limits.running), let next = nextIndex {
            items[next].state = .running
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
        let candidates = items.indices.filter { items[$0].isWaiting && hasRoom(items[$0].key) }
        return candidates.min { goesBefore(items[$0], items[$1]) }
    }

    func goesBefore(_ left: Item, _ right: Item) -> Bool {
        func start(_ item: Item) -> Duration {
            ageing.map { item.arrival - $0.interval * item.level } ?? .seconds(-item.level)
        }
        return start(left) != start(right) ? start(left) < start(right) : left.number < right.number
    }
}
