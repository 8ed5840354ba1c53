import HTTPMessages
import Testing

@testable import Queueing

@Suite struct WorkQueueTests {
    /// A queue of names with a log of its actions as text.
    private final class TestQueue {
        private var queue: WorkQueue<String, String>
        private(set) var log: [String] = []
        private var ids: [String: QueueItemID] = [:]
        var now = Duration.zero

        init(_ limits: QueueLimits, aging: PriorityAging? = nil) { queue = WorkQueue(limits: limits, aging: aging) }

        var state: WorkQueue<String, String> { queue }

        func submit(
            _ name: String, key: String = "k", level: Int = 0, tag: String? = nil, deadline: Duration? = nil,
            isCancellable: Bool = true, isOfOpenCall: Bool = false
        ) {
            let (result, actions) = queue.submit(
                name, key: key, priority: RequestPriority(level: level), tag: tag, deadline: deadline,
                isCancellable: isCancellable, isOfOpenCall: isOfOpenCall, now: now)
            ids[name] = result.id
            note(actions)
            switch result {
            case .started: log.append("+\(name)")
            case .waiting: log.append(".\(name)")
            case .suspended: log.append("~\(name)")
            case .full: log.append("full \(name)")
            case .draining: log.append("draining \(name)")
            }
        }

        func finish(_ name: String) { ids[name].map { note(queue.finish($0)) } }
        func cancel(_ name: String) { ids[name].map { note(queue.cancel($0)) } }
        func cancel(tag: String) { note(queue.cancel(tag: tag)) }
        func cancelAll() { note(queue.cancelAll()) }
        func expire() { note(queue.expire(now: now)) }
        func setLimits(_ limits: QueueLimits) { note(queue.setLimits(limits)) }
        func pause(_ reason: PauseReason = .manual) { queue.pause(reason) }
        func resume(_ reason: PauseReason = .manual) { note(queue.resume(reason)) }
        func drain() { note(queue.drain()) }
        func openCall() { queue.openCall() }
        func closeCall() { note(queue.closeCall()) }
        var nextDeadline: Duration? { queue.nextDeadline() }

        func replace(_ name: String, with item: String) -> String? {
            ids[name].flatMap { queue.replace($0, with: item) }
        }
        subscript(name: String) -> String? { ids[name].flatMap { queue[$0] } }

        /// The log since the last call.
        var newEntries: String {
            defer { log = [] }
            return log.joined(separator: " ")
        }

        private func note(_ actions: [WorkQueue<String, String>.Action]) {
            for action in actions {
                switch action {
                case .start(let (_, name)): log.append("+\(name)")
                case .admit(let (_, name)): log.append("!\(name)")
                case .cancelRunning(let (_, name)): log.append("x\(name)")
                case .cancel(let (_, name)): log.append("-\(name) cancelled")
                case .expire(let (_, name)): log.append("-\(name) expired")
                case .drop(let (_, name)): log.append("-\(name) dropped")
                case .drained: log.append("drained")
                }
            }
        }
    }

    private func queue(
        running: Int = 1, perKey: Int = 10, waiting: Int = .max, overflowPolicy: QueueLimits.OverflowPolicy = .suspend,
        aging: PriorityAging? = nil
    ) -> TestQueue {
        TestQueue(
            QueueLimits(
                maximumConcurrent: running, maximumConcurrentPerKey: perKey, capacity: waiting,
                overflowPolicy: overflowPolicy), aging: aging)
    }

    @Test func `starts items up to the limit, and the next one on finish`() {
        let queue = queue(running: 2)
        for name in ["a", "b", "c", "d"] { queue.submit(name) }
        #expect(queue.newEntries == "+a +b .c .d")
        queue.finish("b")
        queue.finish("b")
        queue.finish("c")
        #expect(queue.newEntries == "+c +d")
        #expect(queue.state.runningCount == 2 && queue.state.waitingCount == 0)
    }

    @Test func `a key at its limit does not block others`() {
        let queue = queue(running: 3, perKey: 1)
        queue.submit("a1", key: "a")
        queue.submit("a2", key: "a", level: 9)
        queue.submit("b1", key: "b")
        queue.submit("c1", key: "c")
        queue.submit("d1", key: "d")
        #expect(queue.newEntries == "+a1 .a2 +b1 +c1 .d1")
        queue.finish("b1")
        #expect(queue.newEntries == "+d1")
        queue.finish("a1")
        #expect(queue.newEntries == "+a2")
    }

    @Test func `a full queue rejects`() {
        let queue = queue(waiting: 1, overflowPolicy: .reject)
        for name in ["a", "b", "c"] { queue.submit(name) }
        #expect(queue.newEntries == "+a .b full c")
        queue.cancel("b")
        queue.submit("d")
        #expect(queue.newEntries == "-b cancelled .d")
    }

    @Test func `a full queue drops the oldest item of the lowest priority`() {
        let queue = queue(waiting: 3, overflowPolicy: .dropOldest)
        for (name, level) in [("a", 0), ("b", 1), ("c", 0), ("d", 0)] { queue.submit(name, level: level) }
        #expect(queue.newEntries == "+a .b .c .d")
        queue.submit("e", level: 0)
        queue.submit("f", level: 5)
        queue.submit("g", level: 5)
        #expect(queue.newEntries == "-c dropped .e -d dropped .f -e dropped .g")
        // All waiting items have a higher priority.
        queue.submit("h", level: 0)
        queue.submit("i", level: 1)
        #expect(queue.newEntries == "full h -b dropped .i")
        let none = self.queue(waiting: 0, overflowPolicy: .dropOldest)
        for name in ["a", "b"] { none.submit(name) }
        #expect(none.newEntries == "+a full b")
    }

    @Test func `a full queue suspends submitters`() {
        let queue = queue(waiting: 1)
        for (name, level) in [("a", 0), ("b", 0), ("c", 0), ("d", 7)] { queue.submit(name, level: level) }
        #expect(queue.newEntries == "+a .b ~c ~d" && queue.state.waitingCount == 3)
        // The order is as without a capacity; the started item does not make room.
        queue.finish("a")
        #expect(queue.newEntries == "+d")
        queue.finish("d")
        #expect(queue.newEntries == "+b !c")
        queue.submit("e")
        queue.setLimits(QueueLimits(maximumConcurrent: 1, capacity: 1, overflowPolicy: .reject))
        #expect(queue.newEntries == "~e !e")
    }

    @Test func `cancels by ID, by tag and all`() {
        let queue = queue(running: 2)
        for name in ["a", "b", "c", "d", "e"] { queue.submit(name, tag: name < "d" ? "t" : nil) }
        _ = queue.newEntries
        queue.cancel("d")
        queue.cancel("d")
        #expect(queue.newEntries == "-d cancelled")
        queue.cancel(tag: "t")
        queue.cancel(tag: "t")
        queue.cancel(tag: "u")
        #expect(queue.newEntries == "xa xb -c cancelled" && queue.state.runningCount == 2)
        queue.finish("a")
        #expect(queue.newEntries == "+e")
        queue.cancelAll()
        #expect(queue.newEntries == "xe")
        queue.finish("b")
        queue.finish("e")
        #expect(queue.newEntries == "" && queue.state.runningCount == 0)
    }

    @Test func `a running item that is not cancellable keeps running`() {
        let queue = queue()
        queue.submit("a", tag: "t", isCancellable: false)
        queue.submit("b", tag: "t", isCancellable: false)
        queue.cancel(tag: "t")
        queue.cancel("a")
        queue.cancelAll()
        #expect(queue.newEntries == "+a .b -b cancelled" && queue.state.runningCount == 1)
        #expect(queue.state.snapshot(now: .zero).running.map(\.isCancelling) == [false])
        queue.finish("a")
        #expect(queue.state.runningCount == 0)
    }

    @Test func `IDs are valid in their own queue only`() {
        var queues = [WorkQueue<String, Int>(), WorkQueue<String, Int>()]
        let ids = queues.indices.map { queues[$0].submit("x", key: 0, now: .zero).result.id }
        #expect(ids[0] != ids[1])
        for (index, id) in ids.enumerated() {
            guard let id else { continue }
            #expect(queues[1 - index][id] == nil && queues[1 - index].cancel(id).isEmpty)
            #expect(queues[1 - index].finish(id).isEmpty && queues[1 - index].runningCount == 1)
        }
        #expect(MemoryLayout<QueueItemID>.size == 16)
    }

    @Test(arguments: [Duration.seconds(-10_000_000_000), .seconds(Int64.min) * 3, .seconds(Int64.max) * 3])
    func `times out of range are clamped`(far: Duration) {
        var queue = WorkQueue<Int, Int>(limits: QueueLimits(maximumConcurrent: 1))
        for number in 0..<3 { _ = queue.submit(number, key: 0, deadline: far, now: number == 0 ? far : .zero) }
        let snapshot = queue.snapshot(now: .seconds(Int64.max))
        #expect(snapshot.running.count == 1 && snapshot.waiting.count == 2)
        #expect((snapshot.running + snapshot.waiting).allSatisfy { $0.age >= .zero })
        #expect(queue.expire(now: far).count == 2)
    }

    @Test func `waiting items expire, running ones do not`() {
        let queue = queue()
        queue.submit("a", deadline: .seconds(1))
        queue.submit("b", deadline: .seconds(3))
        queue.submit("c", deadline: .seconds(2))
        queue.submit("d")
        #expect(queue.nextDeadline == .seconds(2))
        queue.now = .seconds(2) - .nanoseconds(1)
        queue.expire()
        #expect(queue.newEntries == "+a .b .c .d")
        queue.now = .seconds(2)
        queue.expire()
        #expect(queue.newEntries == "-c expired" && queue.nextDeadline == .seconds(3))
        queue.finish("a")
        queue.now = .seconds(9)
        queue.expire()
        #expect(queue.newEntries == "+b" && queue.nextDeadline == nil)
    }

    @Test func `aging raises the priority of a long wait`() {
        let queue = queue(aging: PriorityAging(interval: .seconds(1)))
        queue.submit("a")
        queue.submit("old", level: -5)
        for second in 1...8 {
            queue.now = .seconds(second)
            queue.submit("\(second)")
        }
        _ = queue.newEntries
        for name in ["a", "1", "2", "3", "4", "old", "5"] { queue.finish(name) }
        // At equal effective levels, the older one.
        #expect(queue.newEntries == "+1 +2 +3 +4 +old +5 +6")
    }

    @Test func `a paused queue starts nothing until resumed`() {
        let queue = queue()
        queue.pause()
        queue.submit("a", level: 0)
        queue.submit("b", level: 1)
        #expect(queue.newEntries == ".a .b" && queue.state.schedule.isPaused)
        queue.resume()
        queue.resume()
        #expect(queue.newEntries == "+b" && !queue.state.schedule.isPaused)
    }

    @Test func `each pause ends by its own reason`() {
        let queue = queue()
        let other = PauseReason("other")
        queue.pause()
        queue.pause(other)
        queue.pause(other)
        queue.submit("a")
        queue.resume(other)
        #expect(queue.newEntries == ".a" && queue.state.schedule.pauseReasons == [.manual])
        queue.pause(other)
        queue.resume()
        #expect(
            queue.newEntries == "" && queue.state.schedule.isPaused
                && queue.state.snapshot(now: .zero).pauseReasons == [other])
        queue.resume(PauseReason("other"))
        #expect(queue.newEntries == "+a" && !queue.state.schedule.isPaused)
    }

    @Test func `a draining queue rejects items and reports its end once`() {
        let queue = queue()
        for name in ["a", "b"] { queue.submit(name) }
        queue.drain()
        queue.submit("c")
        queue.finish("a")
        queue.drain()
        #expect(queue.newEntries == "+a .b draining c +b" && queue.state.schedule.isDraining && !queue.state.isDrained)
        queue.finish("b")
        queue.finish("b")
        queue.drain()
        #expect(queue.newEntries == "drained" && queue.state.isDrained)
        let empty = self.queue()
        empty.drain()
        #expect(empty.newEntries == "drained")
    }

    @Test func `a draining queue takes items of open calls, and waits for their ends`() {
        let queue = queue()
        queue.openCall()
        queue.submit("a")
        queue.drain()
        queue.finish("a")
        queue.submit("b")
        #expect(queue.newEntries == "+a draining b" && !queue.state.isDrained)
        queue.submit("c", isOfOpenCall: true)
        queue.closeCall()
        #expect(queue.newEntries == "+c" && !queue.state.isDrained)
        queue.finish("c")
        #expect(queue.newEntries == "drained" && queue.state.isDrained)
        // The last one to end is a call.
        let late = self.queue()
        late.openCall()
        late.drain()
        late.closeCall()
        #expect(late.newEntries == "drained" && late.state.isDrained)
    }

    @Test func `limits can change at any time`() {
        let queue = queue(running: 4, perKey: 1)
        for name in ["a", "b", "c", "d"] { queue.submit(name) }
        #expect(queue.newEntries == "+a .b .c .d")
        queue.setLimits(QueueLimits(maximumConcurrent: 4, maximumConcurrentPerKey: 3))
        #expect(queue.newEntries == "+b +c")
        queue.setLimits(QueueLimits(maximumConcurrent: 1, maximumConcurrentPerKey: 3))
        queue.finish("a")
        queue.finish("b")
        #expect(queue.newEntries == "" && queue.state.limits.maximumConcurrent == 1)
        queue.finish("c")
        #expect(queue.newEntries == "+d")
    }

    @Test(arguments: [Int.min, -1, 0]) func `limits below one count as one`(limit: Int) {
        let queue = queue(running: limit, perKey: limit, waiting: limit, overflowPolicy: .reject)
        for name in ["a", "b"] { queue.submit(name) }
        queue.finish("a")
        queue.submit("c")
        #expect(queue.newEntries == "+a full b +c")
    }

    @Test func `items can be replaced until they end`() {
        let queue = queue()
        for name in ["a", "b"] { queue.submit(name) }
        #expect(queue.replace("b", with: "B") == "b" && queue["b"] == "B")
        queue.finish("a")
        queue.cancel("b")
        queue.finish("b")
        #expect(queue.replace("b", with: "C") == nil)
        #expect(queue.newEntries == "+a .b +B xB" && queue["b"] == nil)
    }

    @Test func `a snapshot shows running and waiting items`() {
        let queue = queue(running: 1, perKey: 1, waiting: 1)
        queue.now = .seconds(1)
        queue.submit("a", tag: "t")
        queue.submit("b", key: "l", level: 3)
        queue.now = .seconds(3)
        queue.submit("c", level: 4)
        queue.cancel("a")
        let snapshot = queue.state.snapshot(now: .seconds(10))
        #expect(snapshot.running.map(\.origin) == ["k"] && snapshot.running.map(\.tag) == ["t"])
        #expect(snapshot.running.map(\.isCancelling) == [true])
        #expect(snapshot.waiting.map(\.priority.level) == [4, 3] && snapshot.waiting.map(\.origin) == ["k", "l"])
        #expect(snapshot.waiting.map(\.age) == [.seconds(7), .seconds(9)])
        #expect(snapshot.waiting.map(\.isSuspended) == [true, false])
        #expect(snapshot.limits.capacity == 1 && !snapshot.isPaused && !snapshot.isDraining)
    }
}
