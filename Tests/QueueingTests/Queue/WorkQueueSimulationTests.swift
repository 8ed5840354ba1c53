import HTTPMessages
import PatchbayTestKit
import Queueing
import Testing

/// Random events, against a queue that is too simple to be wrong.
@Suite struct WorkQueueSimulationTests {
    @Test(arguments: [UInt64(1), 2, 3, 4], [nil, QueueAgeing.oneLevel(every: .milliseconds(7))])
    func doesWhatTheNaiveOneDoes(seed: UInt64, ageing: QueueAgeing?) throws {
        var simulation = Simulation(seed: seed, ageing: ageing)
        for _ in 0..<15_000 { try simulation.step() }
        try simulation.finish()
        #expect(simulation.ended == simulation.submitted && simulation.drained > 3)
    }
}

private struct Simulation {
    typealias Queue = WorkQueue<Int, Int>

    private var generator: SeededGenerator
    private let ageing: QueueAgeing?
    private var queue: Queue
    private var model: NaiveQueue
    private var ids: [Int: QueueItemID] = [:]
    private var now = Duration.zero
    private var next = 0
    /// Those that have not ended.
    private var open: Set<Int> = []
    private(set) var submitted = 0
    private(set) var ended = 0
    private(set) var drained = 0

    init(seed: UInt64, ageing: QueueAgeing?) {
        generator = SeededGenerator(seed: seed)
        self.ageing = ageing
        let limits = QueueLimits(running: 3, runningPerKey: 2)
        queue = Queue(limits: limits, ageing: ageing)
        model = NaiveQueue(limits: limits, ageing: ageing)
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
            queue.pause()
            model.isPaused = true
        case ..<97: try check(queue.resume(), model.resume())
        case 97: try setLimits()
        case 98 where roll(10) == 0: try check(queue.cancelAll(), model.cancel { _ in true })
        case 99 where roll(10) == 0: try startOver()
        // A name that was never given, or whose item has ended.
        default: try finish(roll(max(1, next)))
        }
        #expect(queue.runningCount == model.running && queue.waitingCount == model.waiting)
        #expect(queue.nextDeadline() == model.items.filter(\.isWaiting).compactMap(\.deadline).min())
        if roll(50) == 0 { try checkSnapshot() }
    }

    /// Lets everything that is left come to its end.
    mutating func finish() throws {
        try check(queue.drain(), model.drain())
        try check(queue.resume(), model.resume())
        while let item = model.items.first(where: { !$0.isWaiting }) { try finish(item.number) }
        #expect(model.items.isEmpty && open.isEmpty && queue.isDrained)
        #expect(queue.runningCount == 0 && queue.waitingCount == 0 && queue.nextDeadline() == nil)
    }

    private mutating func startOver() throws {
        try check(queue.drain(), model.drain())
        // It is not over yet, and takes nothing any more.
        for _ in 0..<20 { try submit() }
        try finish()
        queue = Queue(limits: model.limits, ageing: ageing)
        model = NaiveQueue(limits: model.limits, ageing: ageing)
        ids = [:]
    }

    private mutating func submit() throws {
        let item = NaiveQueue.Item(
            number: next, key: roll(6), level: [-100, 0, 0, 0, 1, 2, 100][roll(7)] + (roll(10) == 0 ? roll(40) : 0),
            tag: roll(3) == 0 ? "tag \(roll(20))" : nil, arrival: now,
            deadline: roll(4) == 0 ? now + .milliseconds(roll(60)) : nil, state: .waiting)
        next += 1
        let (admission, actions) = queue.submit(
            item.number, key: item.key, priority: RequestPriority(level: item.level), tag: item.tag,
            deadline: item.deadline, now: now)
        let expected = model.submit(item)
        if let id = admission.id {
            ids[item.number] = id
            open.insert(item.number)
            submitted += 1
        }
        try check(actions, expected, admission: String("\(admission)".prefix { $0 != "(" }))
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
            running: roll(8), runningPerKey: roll(4), waiting: [0, 5, 10, 40, .max][roll(5)],
            whenFull: [.wait, .reject, .dropOldest][roll(3)])
        try check(queue.setLimits(limits), model.setLimits(limits))
    }

    private mutating func end(_ number: Int) {
        #expect(open.remove(number) != nil, "\(number) ended twice")
        ended += 1
    }

    private mutating func check(
        _ actions: [Queue.Action], _ expected: NaiveQueue.Effects, admission: String? = nil
    ) throws {
        var effects = NaiveQueue.Effects(admission: admission)
        for action in actions {
            switch action {
            case .start(let id, let number):
                #expect(ids[number] == id)
                effects.starts.append(number)
            case .accept(_, let number): effects.accepts.append(number)
            case .stop(let id, let number):
                #expect(ids[number] == id && effects.stops.insert(number).inserted)
            case .end(let id, let number, let ending):
                #expect(ids[number] == id)
                effects.ends[number] = ending
                end(number)
            case .drained:
                effects.isDrained = true
                drained += 1
            }
        }
        try #require(effects == expected)
        if !effects.starts.isEmpty { #expect(queue.runningCount <= max(1, queue.limits.running)) }
    }

    private func checkSnapshot() throws {
        let snapshot = queue.snapshot(now: now)
        let waiting = model.items.filter(\.isWaiting).sorted(by: model.goesBefore)
        try #require(snapshot.waiting.map(\.id) == waiting.map { ids[$0.number] })
        #expect(snapshot.waiting.map(\.key) == waiting.map(\.key) && snapshot.waiting.map(\.tag) == waiting.map(\.tag))
        #expect(snapshot.waiting.map(\.priority.level) == waiting.map(\.level))
        #expect(snapshot.waiting.map(\.age) == waiting.map { now - $0.arrival })
        #expect(snapshot.waiting.map(\.isHeld) == waiting.map { $0.state == .held })
        let running = model.items.filter { !$0.isWaiting }
        #expect(Set(snapshot.running.map(\.id)) == Set(running.compactMap { ids[$0.number] }))
        #expect(snapshot.running.count { $0.isStopping } == running.count { $0.state == .stopping })
    }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }
}
