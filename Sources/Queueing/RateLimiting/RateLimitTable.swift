/// The rate limits of all keys and the calls that wait for them, as a state machine: events in, actions out.
///
/// It has no clock, and calls nothing. Times are seconds since a moment of the caller's choice. The calls of a key wait
/// by priority, then in order of submission. Each one ends exactly once.
///
/// ```
/// submit -> started             a token is free, and no call waits
/// submit -> refused, full       no token comes before the deadline; too many calls wait
/// submit -> waiting -> started  advance, received
/// waiting -> refused            a call of higher priority or the server took its time
/// waiting -> cancelled          cancel
/// ```
struct RateLimitTable<Waiter: Sendable>: Sendable {
    typealias Key = RateLimitKey.Value

    /// The identity of a waiting call.
    struct Ticket: Hashable {
        let key: Key
        fileprivate let number: UInt64
    }
    enum Submission: Equatable {
        case started
        /// - `wait`: as far as it is known now.
        case waiting(Ticket, wait: Double)
        case refused(wait: Double, left: Double)
        /// Too many calls wait.
        case full
    }
    enum Ending: Hashable, Sendable {
        case started
        case refused(wait: Double, left: Double)
    }
    typealias Action = (waiter: Waiter, ending: Ending)

    private struct Waiting: Sendable {
        let number: UInt64
        let priority: RequestPriority
        let deadline: Double
        let waiter: Waiter
    }
    private struct Entry: Sendable {
        let key: Key
        var bucket: RateBucket
        /// The next call to start first.
        var waiting: [Waiting] = []
        var lastUse: UInt64 = 0
    }

    private let limit: RateLimit
    private let maximumKeys: Int
    private let maximumWaiting: Int
    private var entries: [Entry] = []
    private var positions: [Key: Int] = [:]
    /// The keys for which calls wait.
    private var waitingKeys: Set<Key> = []
    /// The position of the last entry that was used: calls often come in rows of one key.
    private var latest = 0
    /// Counts uses, for the least recently used keys.
    private var useCount: UInt64 = 0
    /// The use before which eviction is not tried again, since it removed too little.
    private var nextEviction: UInt64 = 0
    private(set) var waitingCount = 0

    init(_ limit: RateLimit, maximumKeys: Int, maximumWaiting: Int) {
        (self.limit, self.maximumKeys, self.maximumWaiting) = (limit, max(1, maximumKeys), max(0, maximumWaiting))
    }

    /// The number of buckets, with one for all keys beyond the maximum.
    var keyCount: Int { entries.count }

    // MARK: Calls

    /// Takes a token for a call that need not wait.
    mutating func start(_ key: Key, now: Double) -> Bool {
        let index = index(of: key, now: now)
        return entries[index].waiting.isEmpty && entries[index].bucket.takeIfReady(now: now)
    }

    /// Submits a call that may wait.
    /// - Parameter deadline: the latest time to start it.
    /// - Returns: the outcome, and the actions for other calls of the key.
    mutating func submit(
        _ key: Key, priority: RequestPriority = .normal, deadline: Double = .infinity, now: Double, _ waiter: Waiter
    ) -> (Submission, [Action]) {
        if start(key, now: now) { return (.started, []) }
        let index = index(of: key, now: now)
        let place = (entries[index].waiting.lastIndex { $0.priority >= priority } ?? -1) + 1
        let wait = entries[index].bucket.wait(forCall: place + 1, now: now)
        guard now + wait <= deadline else { return (.refused(wait: wait, left: max(0, deadline - now)), []) }
        guard waitingCount < maximumWaiting else { return (.full, []) }
        useCount += 1
        entries[index].waiting.insert(
            Waiting(number: useCount, priority: priority, deadline: deadline, waiter: waiter), at: place)
        waitingCount += 1
        waitingKeys.insert(entries[index].key)
        let ticket = Ticket(key: entries[index].key, number: useCount)
        // Only calls behind this one wait longer.
        let isLast = place == entries[index].waiting.count - 1
        return (.waiting(ticket, wait: wait), isLast ? [] : refuseLateCalls(index, now: now))
    }

    /// Removes a waiting call.
    /// - Returns: the call, nil if it has ended, and the actions for others of its key, which move up.
    mutating func cancel(_ ticket: Ticket, now: Double) -> (Waiter?, [Action]) {
        guard let index = positions[ticket.key],
            let place = entries[index].waiting.firstIndex(where: { $0.number == ticket.number })
        else { return (nil, []) }
        let waiter = entries[index].waiting.remove(at: place).waiter
        removed(1, index)
        return (waiter, advance(index, now: now))
    }

    /// Gives back the token of a call that waited and started, and is not sent.
    mutating func giveBack(_ ticket: Ticket, now: Double) -> [Action] {
        // The bucket of a dropped key was full.
        guard let index = positions[ticket.key] else { return [] }
        entries[index].bucket.giveBack()
        return advance(index, now: now)
    }

    /// Records a response.
    mutating func responseReceived(_ key: Key, _ lesson: RateLimitLesson?, now: Double) -> [Action] {
        let index = index(of: key, now: now)
        entries[index].bucket.responseReceived(lesson, now: now)
        guard !entries[index].waiting.isEmpty else { return [] }
        let started = advance(index, now: now)
        return started + refuseLateCalls(index, now: now)
    }

    /// The wait of the next call for a key, behind those that wait.
    mutating func wait(_ key: Key, now: Double) -> Double {
        let index = index(of: key, now: now)
        return entries[index].bucket.wait(forCall: entries[index].waiting.count + 1, now: now)
    }

    // MARK: Time

    /// Starts the calls whose time has come.
    mutating func advance(now: Double) -> [Action] {
        waitingKeys.compactMap { positions[$0] }.flatMap { advance($0, now: now) }
    }

    /// The time of the next ``advance(now:)``; nil if no call waits.
    mutating func nextAdvance(now: Double) -> Double? {
        waitingKeys.compactMap { positions[$0] }.map { now + entries[$0].bucket.wait(forCall: 1, now: now) }.min()
    }

    private mutating func advance(_ index: Int, now: Double) -> [Action] {
        var actions: [Action] = []
        for call in entries[index].waiting {
            let isLate = call.deadline < now
            guard isLate || entries[index].bucket.takeIfReady(now: now) else { break }
            actions.append((call.waiter, isLate ? .refused(wait: 0, left: 0) : .started))
        }
        entries[index].waiting.removeFirst(actions.count)
        removed(actions.count, index)
        return actions
    }

    /// Ends the calls whose turn comes too late; the calls behind them move up.
    private mutating func refuseLateCalls(_ index: Int, now: Double) -> [Action] {
        var actions: [Action] = []
        var kept: [Waiting] = []
        for call in entries[index].waiting {
            let wait = entries[index].bucket.wait(forCall: kept.count + 1, now: now)
            if now + wait <= call.deadline {
                kept.append(call)
            } else {
                actions.append((call.waiter, .refused(wait: wait, left: max(0, call.deadline - now))))
            }
        }
        guard !actions.isEmpty else { return [] }
        entries[index].waiting = kept
        removed(actions.count, index)
        return actions
    }

    /// Counts calls that wait no longer.
    private mutating func removed(_ count: Int, _ index: Int) {
        waitingCount -= count
        if count > 0, entries[index].waiting.isEmpty { waitingKeys.remove(entries[index].key) }
    }

    // MARK: Keys

    /// The position of a key's bucket, which is made if there is none.
    private mutating func index(of key: Key, now: Double) -> Int {
        if latest < entries.count, entries[latest].key == key { return latest }
        useCount += 1
        latest = positions[key] ?? insert(key, now: now)
        entries[latest].lastUse = useCount
        return latest
    }

    private mutating func insert(_ key: Key, now: Double) -> Int {
        var key = key
        if positions.count >= maximumKeys {
            evict(now: now)
            if positions.count >= maximumKeys {
                key = .overflow
                if let position = positions[key] { return position }
            }
        }
        positions[key] = entries.count
        entries.append(Entry(key: key, bucket: RateBucket(limit, now: now)))
        return entries.count - 1
    }

    /// Removes the least recently used half of the full buckets: new ones are like them.
    private mutating func evict(now: Double) {
        guard useCount >= nextEviction else { return }
        let idle = entries.filter { $0.waiting.isEmpty && $0.bucket.isFull(now: now) }
            .sorted { $0.lastUse < $1.lastUse }
        let evicted = Set(idle.prefix((idle.count + 1) / 2).map(\.key))
        // Few at a time would cost a search for each new key.
        if evicted.count < maximumKeys / 8 { nextEviction = useCount + UInt64(maximumKeys / 8) }
        entries.removeAll { evicted.contains($0.key) }
        positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.key, $0) })
        latest = 0
    }
}
