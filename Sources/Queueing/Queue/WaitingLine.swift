/// Who waits, in the order in which they go: by rank, past those whose key is closed.
///
/// Slots of one key and one level stand in a *lane*, a list in order of arrival, so only the heads of lanes have to be
/// compared. Each key has a heap of its lanes by rank, and the open keys are in a heap by their best lane: a closed key
/// costs nothing until it opens again. Each level has a heap of its lanes by age, and the levels are in a heap from the
/// lowest up, for finding whom to drop.
struct WaitingLine {
    private struct Slot {
        var sequence: UInt64 = 0
        var arrival: Int64 = 0
        var lane: Int32 = -1
    }
    private struct Lane {
        let key: Int
        let level: Int
        let levelNumber: Int
        var slots = Chain.Ends()
    }
    private struct LaneName: Hashable {
        let key: Int
        let level: Int
    }
    private struct Key {
        var isClosed = false
        var lanes = RankedHeap()
    }

    private let ageing: QueueAgeing?
    private var slots: [Slot] = []
    private var chain = Chain()

    private var laneNumbers = Numbering<LaneName>()
    private var lanes: [Lane] = []
    private var placesInKeys: RankedHeap.Places = []
    private var placesInLevels: RankedHeap.Places = []

    private var keys: [Key] = []
    private var openKeys = RankedHeap()
    private var openKeyPlaces: RankedHeap.Places = []

    private var levelNumbers = Numbering<Int>()
    private var levels: [RankedHeap] = []
    private var lowestLevels = RankedHeap()
    private var levelPlaces: RankedHeap.Places = []

    init(ageing: QueueAgeing?) { self.ageing = ageing }

    /// The slot that is to go next, or nil when there is none with an open key.
    var first: Int? {
        openKeys.first.flatMap { keys[$0].lanes.first }.flatMap { lanes[$0].slots.first }
    }

    /// The slot that came first among those of the lowest level.
    var oldestOfLowest: (slot: Int, level: Int)? {
        guard let level = lowestLevels.first, let lane = levels[level].first, let slot = lanes[lane].slots.first
        else { return nil }
        return (slot, lanes[lane].level)
    }

    /// - Parameters:
    ///   - sequence: more than that of anybody before.
    ///   - arrival: not less than that of anybody before, in nanoseconds.
    mutating func append(_ slot: Int, key: Int, level: Int, sequence: UInt64, arrival: Int64) {
        while slot >= slots.count { slots.append(Slot()) }
        let name = LaneName(key: key, level: level)
        let lane = laneNumbers.number(of: name) ?? makeLane(name)
        slots[slot] = Slot(sequence: sequence, arrival: arrival, lane: Int32(truncatingIfNeeded: lane))
        let wasEmpty = lanes[lane].slots.isEmpty
        chain.append(slot, to: &lanes[lane].slots)
        if wasEmpty { headChanged(lane) }
    }

    mutating func remove(_ slot: Int) {
        let lane = Int(slots[slot].lane)
        let wasFirst = lanes[lane].slots.first == slot
        chain.remove(slot, from: &lanes[lane].slots)
        if wasFirst { headChanged(lane) }
    }

    /// From now on nobody with this key can go next, or again somebody can.
    mutating func setClosed(_ isClosed: Bool, key: Int) {
        makeRoom(key: key)
        guard keys[key].isClosed != isClosed else { return }
        keys[key].isClosed = isClosed
        bestChanged(key)
    }

    private mutating func makeRoom(key: Int) {
        while key >= keys.count {
            keys.append(Key())
            openKeyPlaces.append(-1)
        }
    }

    private mutating func makeLane(_ name: LaneName) -> Int {
        makeRoom(key: name.key)
        let level = levelNumbers.number(of: name.level) ?? makeLevel(name.level)
        let lane = Lane(key: name.key, level: name.level, levelNumber: level)
        let number = laneNumbers.insert(name)
        guard number == lanes.count else {
            lanes[number] = lane
            return number
        }
        lanes.append(lane)
        placesInKeys.append(-1)
        placesInLevels.append(-1)
        return number
    }

    private mutating func makeLevel(_ level: Int) -> Int {
        let number = levelNumbers.insert(level)
        if number == levels.count {
            levels.append(RankedHeap())
            levelPlaces.append(-1)
        }
        lowestLevels.set(number, to: Rank(value: Int64(level), sequence: 0), &levelPlaces)
        return number
    }

    private mutating func headChanged(_ number: Int) {
        let lane = lanes[number]
        if let head = lane.slots.first {
            let rank = rank(head)
            keys[lane.key].lanes.set(number, to: rank, &placesInKeys)
            levels[lane.levelNumber].set(number, to: Rank(value: 0, sequence: rank.sequence), &placesInLevels)
        } else {
            keys[lane.key].lanes.remove(number, &placesInKeys)
            levels[lane.levelNumber].remove(number, &placesInLevels)
            laneNumbers.remove(number)
            if levels[lane.levelNumber].isEmpty {
                lowestLevels.remove(lane.levelNumber, &levelPlaces)
                levelNumbers.remove(lane.levelNumber)
            }
        }
        bestChanged(lane.key)
    }

    /// Where a slot stands among all that wait.
    func rank(_ slot: Int) -> Rank {
        let (level, arrival) = (lanes[Int(slots[slot].lane)].level, slots[slot].arrival)
        // The complement turns the order around, and has no number that it cannot turn.
        let value = ageing?.start(level: level, arrival: arrival) ?? ~Int64(level)
        return Rank(value: value, sequence: slots[slot].sequence)
    }

    private mutating func bestChanged(_ key: Int) {
        if !keys[key].isClosed, let rank = keys[key].lanes.firstRank {
            openKeys.set(key, to: rank, &openKeyPlaces)
        } else {
            openKeys.remove(key, &openKeyPlaces)
        }
    }
}
