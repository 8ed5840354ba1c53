/// Priority queue of waiting slots: a heap of heaps over FIFO buckets, which skips blocked keys.
///
/// The slots of one key and one level are a *bucket*, a list in order of arrival, so only the heads of buckets are
/// compared. Each key has a heap of its buckets by priority, and a heap of the unblocked keys is ordered by their best
/// bucket: a blocked key costs nothing until it is unblocked. For dropping, each level has a heap of its buckets by
/// age, and the levels are in a heap of their own, lowest first.
struct ReadyQueue {
    private struct Item {
        var sequence: UInt64 = 0
        var arrival: Int64 = 0
        var bucket: Int32 = -1
    }
    private struct Bucket {
        let key: Int
        let level: Int
        let levelNumber: Int
        var slots = SlotLists.List()
    }
    private struct BucketID: Hashable {
        let key: Int
        let level: Int
    }
    private struct Key {
        var isBlocked = false
        var buckets = IndexedHeap()
    }

    private let aging: PriorityAging?
    /// By slot.
    private var items: [Item] = []
    private var links = SlotLists()

    private var bucketNumbers = Interner<BucketID>()
    private var buckets: [Bucket] = []
    // The positions of buckets in the heap of their key, and in that of their level.
    private var positionsInKeys: IndexedHeap.Positions = []
    private var positionsInLevels: IndexedHeap.Positions = []

    private var keys: [Key] = []
    private var unblockedKeys = IndexedHeap()
    private var unblockedKeyPositions: IndexedHeap.Positions = []

    private var levelNumbers = Interner<Int>()
    private var levels: [IndexedHeap] = []
    private var lowestLevels = IndexedHeap()
    private var levelPositions: IndexedHeap.Positions = []

    init(aging: PriorityAging?) { self.aging = aging }

    /// The next slot to start, or nil if every waiting slot has a blocked key.
    var first: Int? {
        unblockedKeys.first.flatMap { keys[$0].buckets.first }.flatMap { buckets[$0].slots.first }
    }

    /// The oldest slot of the lowest level.
    var oldestOfLowest: (slot: Int, level: Int)? {
        guard let level = lowestLevels.first, let bucket = levels[level].first, let slot = buckets[bucket].slots.first
        else { return nil }
        return (slot, buckets[bucket].level)
    }

    /// - Parameters:
    ///   - sequence: higher than any before.
    ///   - arrival: in nanoseconds; not earlier than any before.
    mutating func append(_ slot: Int, key: Int, level: Int, sequence: UInt64, arrival: Int64) {
        while slot >= items.count { items.append(Item()) }
        let id = BucketID(key: key, level: level)
        let bucket = bucketNumbers.number(of: id) ?? makeBucket(id)
        items[slot] = Item(sequence: sequence, arrival: arrival, bucket: Int32(truncatingIfNeeded: bucket))
        let wasEmpty = buckets[bucket].slots.isEmpty
        links.append(slot, to: &buckets[bucket].slots)
        if wasEmpty { updateHeaps(headOf: bucket) }
    }

    mutating func remove(_ slot: Int) {
        let bucket = Int(items[slot].bucket)
        let wasFirst = buckets[bucket].slots.first == slot
        links.remove(slot, from: &buckets[bucket].slots)
        if wasFirst { updateHeaps(headOf: bucket) }
    }

    /// Blocks or unblocks a key; the slots of a blocked key are never ``first``.
    mutating func setBlocked(_ isBlocked: Bool, key: Int) {
        reserve(key: key)
        guard keys[key].isBlocked != isBlocked else { return }
        keys[key].isBlocked = isBlocked
        updateUnblockedKeys(key)
    }

    private mutating func reserve(key: Int) {
        while key >= keys.count {
            keys.append(Key())
            unblockedKeyPositions.append(-1)
        }
    }

    private mutating func makeBucket(_ id: BucketID) -> Int {
        reserve(key: id.key)
        let level = levelNumbers.number(of: id.level) ?? makeLevel(id.level)
        let bucket = Bucket(key: id.key, level: id.level, levelNumber: level)
        let number = bucketNumbers.insert(id)
        guard number == buckets.count else {
            buckets[number] = bucket
            return number
        }
        buckets.append(bucket)
        positionsInKeys.append(-1)
        positionsInLevels.append(-1)
        return number
    }

    private mutating func makeLevel(_ level: Int) -> Int {
        let number = levelNumbers.insert(level)
        if number == levels.count {
            levels.append(IndexedHeap())
            levelPositions.append(-1)
        }
        lowestLevels.set(number, to: IndexedHeap.Priority(value: Int64(level), sequence: 0), &levelPositions)
        return number
    }

    /// Moves a bucket to the priority of its new head, or frees an empty bucket and its level.
    private mutating func updateHeaps(headOf number: Int) {
        let bucket = buckets[number]
        if let head = bucket.slots.first {
            let priority = priority(head)
            keys[bucket.key].buckets.set(number, to: priority, &positionsInKeys)
            levels[bucket.levelNumber].set(
                number, to: IndexedHeap.Priority(value: 0, sequence: priority.sequence), &positionsInLevels)
        } else {
            keys[bucket.key].buckets.remove(number, &positionsInKeys)
            levels[bucket.levelNumber].remove(number, &positionsInLevels)
            bucketNumbers.remove(number)
            if levels[bucket.levelNumber].isEmpty {
                lowestLevels.remove(bucket.levelNumber, &levelPositions)
                levelNumbers.remove(bucket.levelNumber)
            }
        }
        updateUnblockedKeys(bucket.key)
    }

    /// The priority of a slot among all waiting slots.
    func priority(_ slot: Int) -> IndexedHeap.Priority {
        let (level, arrival) = (buckets[Int(items[slot].bucket)].level, items[slot].arrival)
        // The complement reverses the order of levels; unlike negation it cannot overflow.
        let value = aging?.effectiveArrival(level: level, arrival: arrival) ?? ~Int64(level)
        return IndexedHeap.Priority(value: value, sequence: items[slot].sequence)
    }

    private mutating func updateUnblockedKeys(_ key: Int) {
        if !keys[key].isBlocked, let priority = keys[key].buckets.firstPriority {
            unblockedKeys.set(key, to: priority, &unblockedKeyPositions)
        } else {
            unblockedKeys.remove(key, &unblockedKeyPositions)
        }
    }
}
