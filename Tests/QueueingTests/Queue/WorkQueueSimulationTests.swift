import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Queueing

/// Random events, compared with a queue that is too simple to be wrong.
@Suite struct WorkQueueSimulationTests {
    @Test(arguments: [UInt64(1), 2, 3, 4], [nil, PriorityAging(interval: .milliseconds(7))])
    func `behaves like the naive queue`(seed: UInt64, aging: PriorityAging?) throws {
        var simulation = Simulation(seed: seed, aging: aging)
        for _ in 0..<15_000 { try simulation.step() }
        try simulation.finish()
        #expect(simulation.ended == simulation.submitted && simulation.drained > 3)
    }

    @Test(arguments: [UInt64(5), 6], [nil, PriorityAging(interval: .milliseconds(7))])
    func `behaves like the naive queue with many keys and load peaks`(seed: UInt64, aging: PriorityAging?) throws {
        var simulation = Simulation(seed: seed, aging: aging, keys: 3000)
        for end in Simulation.RushEnd.allCases {
            for _ in 0..<1500 { try simulation.step() }
            try simulation.rush(until: end)
        }
        for _ in 0..<1500 { try simulation.step() }
        try simulation.finish()
        #expect(simulation.ended == simulation.submitted)
        #expect(simulation.purges > 20 && simulation.shrinks >= Simulation.RushEnd.allCases.count)
    }
}

private struct Simulation {
    typealias Queue = WorkQueue<Int, Int>
    /// The end of a load peak.
    enum RushEnd: CaseIterable { case served, cancelled, expired }

    private var generator: SeededGenerator
    private let aging: PriorityAging?
    private let keys: Int
    private var queue: Queue
    private var model: NaiveQueue
    private var ids: [Int: QueueItemID] = [:]
    private var now = Duration.zero
    private var next = 0
    /// The items that have not ended.
    private var open: Set<Int> = []
    private(set) var submitted = 0
    private(set) var ended = 0
    private(set) var drained = 0
    /// The number of removals of idle keys, and of releases of memory.
    private(set) var purges = 0
    private(set) var shrinks = 0

    init(seed: UInt64, aging: PriorityAging?, keys: Int = 6) {
        generator = SeededGenerator(seed: seed)
        self.aging = aging
        self.keys = keys
        let limits = QueueLimits(maximumConcurrent: 3, maximumConcurrentPerKey: 2)
        queue = Queue(limits: limits, aging: aging)
        model = NaiveQueue(limits: limits, aging: aging)
    }

    mutating func step() throws {
        now += .microseconds(roll(2000))
        switch roll(100) {
        case ..<42: try submit()
        case ..<80: try finish(model.items.filter { !$0.isWaiting }.randomElement(using: &generator)?.number)
        case ..<88: try cancel(model.items.randomElement(using: &generator)?.number)
        case ..<91:
            let tag = "tag \(roll(20))"
            try check(queue.cancel(tag: tag), model.cancel { $0.tag == tag })
        case ..<94: try check(queue.expire(now: now), model.expire(now: now))
        case 94:
            let reason = reason()
            queue.pause(reason)
            model.pauseReasons.insert(reason)
        case ..<97: try resume(reason())
        case 97: try setLimits()
        case 98 where roll(10) == 0: try check(queue.cancelAll(), model.cancelAll())
        case 99 where roll(10) == 0: try startOver()
        // An ID that was never used, or whose item has ended.
        default: try finish(roll(max(1, next)))
        }
        #expect(queue.runningCount == model.running && queue.waitingCount == model.waiting)
        #expect(queue.schedule.pauseReasons == model.pauseReasons)
        #expect(queue.nextDeadline() == model.items.filter(\.isWaiting).compactMap(\.deadline).min())
        if roll(50) == 0 { try checkSnapshot() }
    }

    /// Ends all items.
    mutating func finish() throws {
        try check(queue.drain(), model.drain())
        for reason in Self.reasons { try resume(reason) }
        while let item = model.items.first(where: { !$0.isWaiting }) { try finish(item.number) }
        #expect(model.items.isEmpty && open.isEmpty && queue.isDrained)
        #expect(queue.runningCount == 0 && queue.waitingCount == 0 && queue.nextDeadline() == nil)
    }

    /// A load peak: submits far more items than usual, and ends all of them.
    mutating func rush(until end: RushEnd) throws {
        for reason in Self.reasons { try resume(reason) }
        let limits = QueueLimits(maximumConcurrent: 3, maximumConcurrentPerKey: 2)
        try check(queue.setLimits(limits), model.setLimits(limits))
        for _ in 0..<1100 + roll(200) { try submit(expires: end == .expired) }
        switch end {
        case .served: break
        case .cancelled: try check(queue.cancelAll(), model.cancelAll())
        case .expired:
            now += .seconds(1)
            try check(queue.expire(now: now), model.expire(now: now))
        }
        while let item = model.items.first(where: { !$0.isWaiting }) { try finish(item.number) }
        #expect(model.items.isEmpty && queue.items.isEmpty && queue.keys.values.isEmpty)
        #expect(queue.schedule.table.all.isEmpty && queue.schedule.keys.counters.isEmpty)
        if queue.schedule.table.all.isEmpty { shrinks += 1 }
    }

    private static let reasons: [PauseReason] = [.manual, PauseReason("other")]

    private mutating func reason() -> PauseReason { Self.reasons[roll(Self.reasons.count)] }

    private mutating func resume(_ reason: PauseReason) throws {
        try check(queue.resume(reason), model.resume(reason))
    }

    private mutating func startOver() throws {
        try check(queue.drain(), model.drain())
        // The queue is not empty yet, and rejects items.
        for _ in 0..<20 { try submit() }
        try finish()
        queue = Queue(limits: model.limits, aging: aging)
        model = NaiveQueue(limits: model.limits, aging: aging)
        ids = [:]
    }

    private mutating func submit(expires: Bool = false) throws {
        let item = NaiveQueue.Item(
            number: next, key: roll(keys), level: [-100, 0, 0, 0, 1, 2, 100][roll(7)] + (roll(10) == 0 ? roll(40) : 0),
            tag: roll(3) == 0 ? "tag \(roll(20))" : nil, arrival: now,
            deadline: expires || roll(4) == 0 ? now + .milliseconds(roll(60)) : nil, isCancellable: roll(4) > 0,
            state: .waiting)
        next += 1
        let keyCount = queue.keys.count
        let (result, actions) = queue.submit(
            item.number, key: item.key, priority: RequestPriority(level: item.level), tag: item.tag,
            deadline: item.deadline, isCancellable: item.isCancellable, now: now)
        if queue.keys.count < keyCount { purges += 1 }
        let expected = model.submit(item)
        if let id = result.id {
            ids[item.number] = id
            open.insert(item.number)
            submitted += 1
        }
        try check(actions, expected, result: String("\(result)".prefix { $0 != "(" }))
    }

    private mutating func finish(_ number: Int?) throws {
        guard let number, let id = ids[number] else { return }
        let expected = model.finish(number)
        let wasRunning = !model.items.contains { $0.number == number } && open.contains(number)
        if wasRunning { end(number) }
        try check(queue.finish(id), expected)
    }

    private mutating func cancel(_ number: Int?) throws {
        guard let number, let id = ids[number] else { return }
        try check(queue.cancel(id), model.cancel { $0.number == number })
    }

    private mutating func setLimits() throws {
        let limits = QueueLimits(
            maximumConcurrent: roll(8), maximumConcurrentPerKey: roll(4), capacity: [0, 5, 10, 40, .max][roll(5)],
            overflowPolicy: [.suspend, .reject, .dropOldest][roll(3)])
        try check(queue.setLimits(limits), model.setLimits(limits))
    }

    private mutating func end(_ number: Int) {
        #expect(open.remove(number) != nil, "\(number) ended twice")
        ended += 1
    }

    private mutating func check(
        _ actions: [Queue.Action], _ expected: NaiveQueue.Effects, result: String? = nil
    ) throws {
        var effects = NaiveQueue.Effects(result: result)
        for action in actions {
            switch action {
            case .start(let (id, number)):
                #expect(ids[number] == id)
                effects.starts.append(number)
            case .admit(let (_, number)): effects.admissions.append(number)
            case .cancelRunning(let (id, number)):
                #expect(ids[number] == id)
                effects.cancellations.append(number)
            case .cancel(let item): noteEnd(item, .cancelled, &effects)
            case .expire(let item): noteEnd(item, .expired, &effects)
            case .drop(let item): noteEnd(item, .dropped, &effects)
            case .drained:
                effects.isDrained = true
                drained += 1
            }
        }
        try #require(effects == expected)
        if !effects.starts.isEmpty { #expect(queue.runningCount <= max(1, queue.limits.maximumConcurrent)) }
    }

    private mutating func noteEnd(
        _ ended: (id: QueueItemID, item: Int), _ reason: NaiveQueue.Reason, _ effects: inout NaiveQueue.Effects
    ) {
        #expect(ids[ended.item] == ended.id)
        effects.ends.append(NaiveQueue.End(number: ended.item, reason: reason))
        end(ended.item)
    }

    private func checkSnapshot() throws {
        let snapshot = queue.snapshot(now: now)
        let waiting = model.items.filter(\.isWaiting).sorted(by: model.goesBefore)
        try #require(snapshot.waiting.map(\.id) == waiting.map { ids[$0.number] })
        #expect(
            snapshot.waiting.map(\.origin) == waiting.map { "\($0.key)" }
                && snapshot.waiting.map(\.tag) == waiting.map(\.tag))
        #expect(snapshot.waiting.map(\.priority.level) == waiting.map(\.level))
        #expect(snapshot.waiting.map(\.age) == waiting.map { now - $0.arrival })
        #expect(snapshot.waiting.map(\.isSuspended) == waiting.map { $0.state == .suspended })
        let running = model.items.filter { !$0.isWaiting }
            .sorted { $0.start < $1.start }
        #expect(snapshot.running.map(\.id) == running.map { ids[$0.number] })
        #expect(snapshot.running.map(\.isCancelling) == running.map { $0.state == .cancelling })
    }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }
}
