import HTTPMessages
import Testing

@testable import Queueing

@Suite struct WorkQueueTests {
    /// A queue of names, and what came of it as text.
    private final class Line {
        private var queue: WorkQueue<String, String>
        private(set) var log: [String] = []
        private var ids: [String: QueueItemID] = [:]
        var now = Duration.zero

        init(_ limits: QueueLimits, ageing: QueueAgeing? = nil) { queue = WorkQueue(limits: limits, ageing: ageing) }

        var state: WorkQueue<String, String> { queue }

        func submit(
            _ name: String, key: String = "k", level: Int = 0, tag: String? = nil, deadline: Duration? = nil,
            isStoppable: Bool = true
        ) {
            let (admission, actions) = queue.submit(
                name, key: key, priority: RequestPriority(level: level), tag: tag, deadline: deadline,
                isStoppable: isStoppable, now: now)
            ids[name] = admission.id
            note(actions)
            switch admission {
            case .started: log.append("+\(name)")
            case .waiting: log.append(".\(name)")
            case .held: log.append("~\(name)")
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
        func pause(_ reason: PauseReason = .program) { queue.pause(reason) }
        func resume(_ reason: PauseReason = .program) { note(queue.resume(reason)) }
        func drain() { note(queue.drain()) }
        var nextDeadline: Duration? { queue.nextDeadline() }

        func replace(_ name: String, with item: String) -> String? {
            ids[name].flatMap { queue.replace($0, with: item) }
        }
        subscript(name: String) -> String? { ids[name].flatMap { queue[$0] } }

        /// What happened since the last time.
        var news: String {
            defer { log = [] }
            return log.joined(separator: " ")
        }

        private func note(_ actions: [QueueAction<String>]) {
            for action in actions {
                switch action {
                case .start(_, let name): log.append("+\(name)")
                case .accept(_, let name): log.append("!\(name)")
                case .end(_, let name, let ending): log.append("-\(name) \(ending)")
                case .stop(_, let name): log.append("x\(name)")
                case .drained: log.append("drained")
                }
            }
        }
    }

    private func line(
        running: Int = 1, perKey: Int = 10, waiting: Int = .max, whenFull: QueueLimits.Overflow = .wait,
        ageing: QueueAgeing? = nil
    ) -> Line {
        Line(QueueLimits(running: running, runningPerKey: perKey, waiting: waiting, whenFull: whenFull), ageing: ageing)
    }

    @Test func startsWhatHasRoomAndTheNextWhenOneIsDone() {
        let line = line(running: 2)
        for name in ["a", "b", "c", "d"] { line.submit(name) }
        #expect(line.news == "+a +b .c .d")
        line.finish("b")
        line.finish("b")
        line.finish("c")
        #expect(line.news == "+c +d")
        #expect(line.state.runningCount == 2 && line.state.waitingCount == 0)
    }

    @Test func limitsOfKeysHoldUpNoOthers() {
        let line = line(running: 3, perKey: 1)
        line.submit("a1", key: "a")
        line.submit("a2", key: "a", level: 9)
        line.submit("b1", key: "b")
        line.submit("c1", key: "c")
        line.submit("d1", key: "d")
        #expect(line.news == "+a1 .a2 +b1 +c1 .d1")
        line.finish("b1")
        #expect(line.news == "+d1")
        line.finish("a1")
        #expect(line.news == "+a2")
    }

    @Test func fullAndRejecting() {
        let line = line(waiting: 1, whenFull: .reject)
        for name in ["a", "b", "c"] { line.submit(name) }
        #expect(line.news == "+a .b full c")
        line.cancel("b")
        line.submit("d")
        #expect(line.news == "-b cancelled .d")
    }

    @Test func fullAndDropping() {
        let line = line(waiting: 3, whenFull: .dropOldest)
        for (name, level) in [("a", 0), ("b", 1), ("c", 0), ("d", 0)] { line.submit(name, level: level) }
        #expect(line.news == "+a .b .c .d")
        line.submit("e", level: 0)
        line.submit("f", level: 5)
        line.submit("g", level: 5)
        #expect(line.news == "-c dropped .e -d dropped .f -e dropped .g")
        // All that is left is above it.
        line.submit("h", level: 0)
        line.submit("i", level: 1)
        #expect(line.news == "full h -b dropped .i")
        let none = self.line(waiting: 0, whenFull: .dropOldest)
        for name in ["a", "b"] { none.submit(name) }
        #expect(none.news == "+a full b")
    }

    @Test func fullAndHolding() {
        let line = line(waiting: 1)
        for (name, level) in [("a", 0), ("b", 0), ("c", 0), ("d", 7)] { line.submit(name, level: level) }
        #expect(line.news == "+a .b ~c ~d" && line.state.waitingCount == 3)
        // The order is as if there were no bound; the place stays taken.
        line.finish("a")
        #expect(line.news == "+d")
        line.finish("d")
        #expect(line.news == "+b !c")
        line.submit("e")
        line.setLimits(QueueLimits(running: 1, waiting: 1, whenFull: .reject))
        #expect(line.news == "~e !e")
    }

    @Test func cancelling() {
        let line = line(running: 2)
        for name in ["a", "b", "c", "d", "e"] { line.submit(name, tag: name < "d" ? "t" : nil) }
        _ = line.news
        line.cancel("d")
        line.cancel("d")
        #expect(line.news == "-d cancelled")
        line.cancel(tag: "t")
        line.cancel(tag: "t")
        line.cancel(tag: "u")
        #expect(line.news == "xa xb -c cancelled" && line.state.runningCount == 2)
        line.finish("a")
        #expect(line.news == "+e")
        line.cancelAll()
        #expect(line.news == "xe")
        line.finish("b")
        line.finish("e")
        #expect(line.news == "" && line.state.runningCount == 0)
    }

    @Test func whatCannotBeStoppedIsNot() {
        let line = line()
        line.submit("a", tag: "t", isStoppable: false)
        line.submit("b", tag: "t", isStoppable: false)
        line.cancel(tag: "t")
        line.cancel("a")
        line.cancelAll()
        #expect(line.news == "+a .b -b cancelled" && line.state.runningCount == 1)
        #expect(line.state.snapshot(now: .zero).running.map(\.isStopping) == [false])
        line.finish("a")
        #expect(line.state.runningCount == 0)
    }

    @Test func namesOfOneQueueAreNotThoseOfAnother() {
        var queues = [WorkQueue<String, Int>(), WorkQueue<String, Int>()]
        let ids = queues.indices.map { queues[$0].submit("x", key: 0, now: .zero).admission.id }
        #expect(ids[0] != ids[1])
        for (index, id) in ids.enumerated() {
            guard let id else { continue }
            #expect(queues[1 - index][id] == nil && queues[1 - index].cancel(id).isEmpty)
            #expect(queues[1 - index].finish(id).isEmpty && queues[1 - index].runningCount == 1)
        }
        #expect(MemoryLayout<QueueItemID>.size == 16)
    }

    @Test(arguments: [Duration.seconds(-10_000_000_000), .seconds(Int64.min) * 3, .seconds(Int64.max) * 3])
    func timesBeyondCountingAreTheFarthestThatCount(far: Duration) {
        var queue = WorkQueue<Int, Int>(limits: QueueLimits(running: 1))
        for number in 0..<3 { _ = queue.submit(number, key: 0, deadline: far, now: number == 0 ? far : .zero) }
        let snapshot = queue.snapshot(now: .seconds(Int64.max))
        #expect(snapshot.running.count == 1 && snapshot.waiting.count == 2)
        #expect((snapshot.running + snapshot.waiting).allSatisfy { $0.age >= .zero })
        #expect(queue.expire(now: far).count == 2)
    }

    @Test func deadlinesHoldWhileWaiting() {
        let line = line()
        line.submit("a", deadline: .seconds(1))
        line.submit("b", deadline: .seconds(3))
        line.submit("c", deadline: .seconds(2))
        line.submit("d")
        #expect(line.nextDeadline == .seconds(2))
        line.now = .seconds(2) - .nanoseconds(1)
        line.expire()
        #expect(line.news == "+a .b .c .d")
        line.now = .seconds(2)
        line.expire()
        #expect(line.news == "-c expired" && line.nextDeadline == .seconds(3))
        line.finish("a")
        line.now = .seconds(9)
        line.expire()
        #expect(line.news == "+b" && line.nextDeadline == nil)
    }

    @Test func ageingLetsALongWaitCount() {
        let line = line(ageing: .oneLevel(every: .seconds(1)))
        line.submit("a")
        line.submit("old", level: -5)
        for second in 1...8 {
            line.now = .seconds(second)
            line.submit("\(second)")
        }
        _ = line.news
        for name in ["a", "1", "2", "3", "4", "old", "5"] { line.finish(name) }
        // At the same place, the one that came first.
        #expect(line.news == "+1 +2 +3 +4 +old +5 +6")
    }

    @Test func pauseAndResume() {
        let line = line()
        line.pause()
        line.submit("a", level: 0)
        line.submit("b", level: 1)
        #expect(line.news == ".a .b" && line.state.isPaused)
        line.resume()
        line.resume()
        #expect(line.news == "+b" && !line.state.isPaused)
    }

    @Test func eachReasonToPauseHoldsByItself() {
        let line = line()
        let other = PauseReason("other")
        line.pause()
        line.pause(other)
        line.pause(other)
        line.submit("a")
        line.resume(other)
        #expect(line.news == ".a" && line.state.pauses == [.program])
        line.pause(other)
        line.resume()
        #expect(line.news == "" && line.state.isPaused && line.state.snapshot(now: .zero).pauses == [other])
        line.resume(PauseReason("other"))
        #expect(line.news == "+a" && !line.state.isPaused)
    }

    @Test func drainTakesNothingNewAndSaysWhenItIsDone() {
        let line = line()
        for name in ["a", "b"] { line.submit(name) }
        line.drain()
        line.submit("c")
        line.finish("a")
        line.drain()
        #expect(line.news == "+a .b draining c +b" && line.state.isDraining && !line.state.isDrained)
        line.finish("b")
        line.finish("b")
        line.drain()
        #expect(line.news == "drained" && line.state.isDrained)
        let empty = self.line()
        empty.drain()
        #expect(empty.news == "drained")
    }

    @Test func limitsCanChangeWhileItRuns() {
        let line = line(running: 4, perKey: 1)
        for name in ["a", "b", "c", "d"] { line.submit(name) }
        #expect(line.news == "+a .b .c .d")
        line.setLimits(QueueLimits(running: 4, runningPerKey: 3))
        #expect(line.news == "+b +c")
        line.setLimits(QueueLimits(running: 1, runningPerKey: 3))
        line.finish("a")
        line.finish("b")
        #expect(line.news == "" && line.state.limits.running == 1)
        line.finish("c")
        #expect(line.news == "+d")
    }

    @Test(arguments: [Int.min, -1, 0]) func limitsBelowOneAreOne(limit: Int) {
        let line = line(running: limit, perKey: limit, waiting: limit, whenFull: .reject)
        for name in ["a", "b"] { line.submit(name) }
        line.finish("a")
        line.submit("c")
        #expect(line.news == "+a full b +c")
    }

    @Test func itemsCanBeReplacedUntilTheyEnd() {
        let line = line()
        for name in ["a", "b"] { line.submit(name) }
        #expect(line.replace("b", with: "B") == "b" && line["b"] == "B")
        line.finish("a")
        line.cancel("b")
        line.finish("b")
        #expect(line.replace("b", with: "C") == nil)
        #expect(line.news == "+a .b +B xB" && line["b"] == nil)
    }

    @Test func aSnapshotShowsWhatThereIs() {
        let line = line(running: 1, perKey: 1, waiting: 1)
        line.now = .seconds(1)
        line.submit("a", tag: "t")
        line.submit("b", key: "l", level: 3)
        line.now = .seconds(3)
        line.submit("c", level: 4)
        line.cancel("a")
        let snapshot = line.state.snapshot(now: .seconds(10))
        #expect(snapshot.running.map(\.key) == ["k"] && snapshot.running.map(\.tag) == ["t"])
        #expect(snapshot.running.map(\.isStopping) == [true])
        #expect(snapshot.waiting.map(\.priority.level) == [4, 3] && snapshot.waiting.map(\.key) == ["k", "l"])
        #expect(snapshot.waiting.map(\.age) == [.seconds(7), .seconds(9)])
        #expect(snapshot.waiting.map(\.isHeld) == [true, false])
        #expect(snapshot.limits.waiting == 1 && !snapshot.isPaused && !snapshot.isDraining)
    }
}
