import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RequestQueueHandingTests {
    /// What handlers have heard, in order, and the turns they were given.
    private final class Log: Sendable {
        private let state = Mutex((events: [String](), turns: [String: RequestQueue.Turn]()))

        var events: [String] { state.withLock(\.events) }

        func handler(_ name: String) -> @Sendable (RequestQueue.Event) -> Void {
            { event in
                self.state.withLock { state in
                    switch event {
                    case .accepted: state.events.append("!\(name)")
                    case .started(let turn):
                        state.events.append("+\(name)")
                        state.turns[name] = turn
                    case .stopping: state.events.append("x\(name)")
                    case .ended(let error):
                        let code = (error as? TransportError)?.code.description
                        state.events.append("-\(name) \(code ?? (error as? QueueError)?.code.description ?? "?")")
                    }
                }
            }
        }

        func turn(_ name: String) -> RequestQueue.Turn? { state.withLock { $0.turns[name] } }

        /// Lets go of a turn without ending it.
        func forget(_ name: String) {
            let turn = state.withLock { $0.turns.removeValue(forKey: name) }
            _ = turn
        }
    }

    @Test func turnsComeAndGo() throws {
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(running: 1)))
        for name in ["a", "b", "c"] {
            #expect(try queue.submit(HTTPRequest.get("/\(name)"), log.handler(name)).isAccepted)
        }
        #expect(log.events == ["+a"] && log.turn("a")?.request.url.path() == "/a")
        log.turn("a")?.end()
        log.turn("a")?.end()
        #expect(log.events == ["+a", "+b"])
        log.forget("b")
        #expect(log.events == ["+a", "+b", "+c"] && queue.runningCount == 1)
    }

    @Test func cancelsReachWhatWaitsAndWhatRuns() throws {
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(running: 1)))
        let ids = try ["a", "b", "c"].map { try queue.submit(HTTPRequest.get(tag: "t"), log.handler($0)).id }
        #expect(queue.cancel(ids[1]) == 1 && queue.cancel(ids[1]) == 0)
        #expect(queue.cancel(tag: "t") == 2)
        #expect(queue.cancelAll() == 0)
        #expect(log.events == ["+a", "-b cancelled", "xa", "-c cancelled"])
        #expect(log.turn("a")?.id == ids[0])
    }

    @Test func aFullQueueTellsTheSubmitterToWait() throws {
        let log = Log()
        let queue = RequestQueue(limits: QueueLimits(running: 1, waiting: 1))
        let receipts = try ["a", "b", "c"].map { try queue.submit(HTTPRequest.get(), log.handler($0)) }
        #expect(receipts.map(\.isAccepted) == [true, true, false])
        log.turn("a")?.end()
        #expect(log.events == ["+a", "+b", "!c"])
        queue.limits.whenFull = .reject
        let error = #expect(throws: QueueError.self) { try queue.submit(HTTPRequest.get(), log.handler("d")) }
        #expect(error?.code == .full)
        queue.limits.whenFull = .dropOldest
        try queue.submit(HTTPRequest.get(), log.handler("e"))
        #expect(log.events == ["+a", "+b", "!c", "-c dropped"])
    }

    @Test func deadlinesHoldAndTheRestIsHandedOn() async throws {
        let clock = ManualClock()
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(running: 1), clock: clock))
        for (name, seconds) in [("a", 9), ("b", 5), ("c", 2)] {
            try queue.submit(HTTPRequest.get(total: .seconds(seconds)), log.handler(name))
        }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(2))
        await queue.waitForWaiting(1)
        log.turn("a")?.end()
        try await eventually { log.events.count >= 3 }
        #expect(log.events == ["+a", "-c timedOut", "+b"])
        #expect(log.turn("a")?.request.options.timeouts.total == .seconds(9))
        #expect(log.turn("b")?.request.options.timeouts.total == .seconds(3))
    }

    @Test func nothingIsHeardAfterTheEnd() async throws {
        let clock = ManualClock()
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(running: 1), clock: clock))
        let goesOn = DispatchSemaphore(value: 0)
        let (atIt, done) = (Gate(), Gate())
        queue.pause()
        try queue.submit(HTTPRequest.get(priority: .immediate)) { event in
            log.handler("slow")(event)
            // What becomes of the other is decided while this one is at it, and said later.
            queue.limits.running = 2
            queue.cancel(tag: "t")
            atIt.open()
            goesOn.wait()
        }
        try queue.submit(HTTPRequest.get(tag: "t", total: .seconds(5)), log.handler("late"))
        DispatchQueue.global().async {
            queue.resume()
            done.open()
        }
        try await atIt.wait()
        await clock.advance(by: .seconds(10))
        goesOn.signal()
        try await done.wait()
        #expect(log.events == ["+slow", "-late timedOut"])
        #expect(queue.runningCount == 1)
        log.turn("slow")?.end()
    }

    @Test func aQueueThatNobodyHoldsEndsWhatWaits() throws {
        let log = Log()
        var queue: RequestQueue? = RequestQueue()
        let isReleased = { [weak queue] in queue == nil }
        queue?.pause()
        try queue?.submit(HTTPRequest.get(), log.handler("a"))
        queue = nil
        #expect(isReleased() && log.events == ["-a cancelled"])
    }

    @Test func aTurnKeepsItsQueue() throws {
        let log = Log()
        var queue: RequestQueue? = RequestQueue(limits: QueueLimits(running: 1))
        for name in ["a", "b"] { try queue?.submit(HTTPRequest.get(), log.handler(name)) }
        queue = nil
        log.turn("a")?.end()
        #expect(log.events == ["+a", "+b"])
    }

    @Test func handlersThatEndAtOnceDoNotPileUp() throws {
        let queue = RequestQueue(limits: QueueLimits(running: 1))
        let count = Atomic(0)
        let request = try HTTPRequest.get()
        queue.pause()
        for _ in 0..<20_000 {
            try queue.submit(request) { event in
                if case .started(let turn) = event {
                    count.add(1, ordering: .relaxed)
                    turn.end()
                }
            }
        }
        queue.resume()
        while queue.runningCount + queue.waitingCount > 0 { continue }
        #expect(count.load(ordering: .relaxed) == 20_000)
    }

    @Test func aHandlerMayUseTheQueueEvenWhenItGoes() throws {
        final class Goer: Sendable {
            let queue: RequestQueue
            init(_ queue: RequestQueue) { self.queue = queue }
            deinit { queue.cancelAll() }
        }
        let queue = RequestQueue()
        let log = Log()
        func submit() throws {
            let (goer, handler) = (Goer(queue), log.handler("a"))
            try queue.submit(HTTPRequest.get()) { event in
                handler(event)
                _ = goer.queue.snapshot
            }
        }
        try submit()
        // Nobody holds the handler after this.
        log.turn("a")?.end()
        #expect(queue.runningCount == 0 && log.events == ["+a"])
    }

    @Test func whatOneHearsIsInOrder() async throws {
        let queue = RequestQueue(limits: QueueLimits(running: 3))
        let logs = (0..<400).map { _ in Log() }
        await withTaskGroup(of: Void.self) { group in
            for (number, log) in logs.enumerated() {
                group.addTask {
                    _ = try? queue.submit(HTTPRequest.get(tag: "t\(number % 7)"), log.handler("a"))
                    if number.isMultiple(of: 3) { queue.cancel(tag: "t\(number % 5)") }
                    while log.events.isEmpty { await Task.yield() }
                    log.forget("a")
                }
            }
        }
        try await eventually { queue.runningCount + queue.waitingCount == 0 }
        for log in logs {
            #expect([["+a"], ["+a", "xa"], ["-a cancelled"]].contains(log.events))
        }
    }
}
