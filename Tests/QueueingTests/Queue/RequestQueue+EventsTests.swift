import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RequestQueueEventsTests {
    /// The events of handlers in order, and their leases.
    private final class Log: Sendable {
        private let log = Watched<[String]>([])
        private let leases = Mutex<[String: RequestQueue.Lease]>([:])

        var events: [String] { log.value }

        func handler(_ name: String) -> @Sendable (RequestQueue.Event) -> Void {
            { event in
                let text: String
                switch event {
                case .admitted: text = "!\(name)"
                case .started(let lease):
                    self.leases.withLock { $0[name] = lease }
                    text = "+\(name)"
                case .cancelRequested: text = "x\(name)"
                case .failed(let error):
                    let code = (error as? TransportError)?.code.description
                    text = "-\(name) \(code ?? (error as? AdmissionError)?.code.description ?? "?")"
                }
                self.log.update { $0.append(text) }
            }
        }

        /// Returns when there are at least this number of events.
        func wait(for count: Int) async throws { try await log.wait { $0.count >= count } }

        func lease(_ name: String) -> RequestQueue.Lease? { leases.withLock { $0[name] } }

        /// Releases a lease without finishing it.
        func release(_ name: String) {
            let lease = leases.withLock { $0.removeValue(forKey: name) }
            _ = lease
        }
    }

    @Test func `leases start in order and end once`() throws {
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(maximumConcurrent: 1)))
        for name in ["a", "b", "c"] {
            #expect(try queue.submit(HTTPRequest.get("/\(name)"), log.handler(name)).isAdmitted)
        }
        #expect(log.events == ["+a"] && log.lease("a")?.request.url.path() == "/a")
        log.lease("a")?.finish()
        log.lease("a")?.finish()
        #expect(log.events == ["+a", "+b"])
        log.release("b")
        #expect(log.events == ["+a", "+b", "+c"] && queue.runningCount == 1)
    }

    @Test func `cancel reaches waiting and running requests`() throws {
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(maximumConcurrent: 1)))
        let ids = try ["a", "b", "c"].map { try queue.submit(HTTPRequest.get(tag: "t"), log.handler($0)).id }
        #expect(queue.cancel(ids[1]) == 1 && queue.cancel(ids[1]) == 0)
        #expect(queue.cancel(tag: "t") == 2)
        #expect(queue.cancelAll() == 0)
        #expect(log.events == ["+a", "-b cancelled", "xa", "-c cancelled"])
        #expect(log.lease("a")?.id == ids[0])
    }

    @Test func `a full queue suspends the submitter`() throws {
        let log = Log()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1, capacity: 1))
        let tickets = try ["a", "b", "c"].map { try queue.submit(HTTPRequest.get(), log.handler($0)) }
        #expect(tickets.map(\.isAdmitted) == [true, true, false])
        log.lease("a")?.finish()
        #expect(log.events == ["+a", "+b", "!c"])
        queue.limits.overflowPolicy = .reject
        let error = #expect(throws: AdmissionError.self) { try queue.submit(HTTPRequest.get(), log.handler("d")) }
        #expect(error?.code == .queueFull)
        queue.limits.overflowPolicy = .dropOldest
        try queue.submit(HTTPRequest.get(), log.handler("e"))
        #expect(log.events == ["+a", "+b", "!c", "-c dropped"])
    }

    @Test func `waiting requests time out, and a lease has the remaining timeout`() async throws {
        let clock = ManualClock()
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(maximumConcurrent: 1), clock: clock))
        for (name, seconds) in [("a", 9), ("b", 5), ("c", 2)] {
            try queue.submit(HTTPRequest.get(total: .seconds(seconds)), log.handler(name))
        }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(2))
        try await log.wait(for: 2)
        log.lease("a")?.finish()
        try await log.wait(for: 3)
        #expect(log.events == ["+a", "-c expired", "+b"])
        #expect(log.lease("a")?.request.options.timeouts.total == .seconds(9))
        #expect(log.lease("b")?.request.options.timeouts.total == .seconds(3))
    }

    @Test func `a handler receives no event after the last one`() async throws {
        let clock = ManualClock()
        let (log, queue) = (Log(), RequestQueue(limits: QueueLimits(maximumConcurrent: 1), clock: clock))
        let goesOn = DispatchSemaphore(value: 0)
        let (atIt, done) = (Gate(), Gate())
        queue.pause()
        try queue.submit(HTTPRequest.get(priority: .high)) { event in
            log.handler("slow")(event)
            // The actions for the other request are posted while this handler runs, and performed later.
            queue.limits.maximumConcurrent = 2
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
        #expect(log.events == ["+slow", "-late expired"])
        #expect(queue.runningCount == 1)
        log.lease("slow")?.finish()
    }

    @Test func `releasing the queue cancels waiting requests`() throws {
        let log = Log()
        var queue: RequestQueue? = RequestQueue()
        let isReleased = { [weak queue] in queue == nil }
        queue?.pause()
        try queue?.submit(HTTPRequest.get(), log.handler("a"))
        queue = nil
        #expect(isReleased() && log.events == ["-a cancelled"])
    }

    @Test func `a lease retains its queue`() throws {
        let log = Log()
        var queue: RequestQueue? = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        for name in ["a", "b"] { try queue?.submit(HTTPRequest.get(), log.handler(name)) }
        queue = nil
        log.lease("a")?.finish()
        #expect(log.events == ["+a", "+b"])
    }

    @Test func `handlers that finish at once do not recurse`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let count = Atomic(0)
        let request = try HTTPRequest.get()
        queue.pause()
        for _ in 0..<20_000 {
            try queue.submit(request) { event in
                if case .started(let lease) = event {
                    count.add(1, ordering: .relaxed)
                    lease.finish()
                }
            }
        }
        queue.resume()
        try await queue.drain()
        #expect(count.load(ordering: .relaxed) == 20_000)
    }

    @Test func `a handler may use the queue during its deinitialization`() throws {
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
        // This releases the handler.
        log.lease("a")?.finish()
        #expect(queue.runningCount == 0 && log.events == ["+a"])
    }

    @Test func `the events of a request are in order`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 3))
        let logs = (0..<400).map { _ in Log() }
        await withTaskGroup(of: Void.self) { group in
            for (number, log) in logs.enumerated() {
                group.addTask {
                    _ = try? queue.submit(HTTPRequest.get(tag: "t\(number % 7)"), log.handler("a"))
                    if number.isMultiple(of: 3) { queue.cancel(tag: "t\(number % 5)") }
                    try? await log.wait(for: 1)
                    log.release("a")
                }
            }
        }
        try await queue.drain()
        #expect(queue.runningCount + queue.waitingCount == 0)
        for log in logs {
            #expect([["+a"], ["+a", "xa"], ["-a cancelled"]].contains(log.events))
        }
    }
}
