import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 1 and 2 in stacks: what each layer adds, and that no end is lost or doubled.
@Suite(.needsSlot) struct ObservingStacksTests {
    private let events = CollectedEvents()
    private let clock = ManualClock()
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "http://patchbay.test/") }

    private var monitor: EventMonitor { EventMonitor([EventSink(events)]) }

    /// A monitor whose sinks get events of the next calls only when the blocked one is told to go on.
    private func blockedMonitor(by blocked: BlockedSink) async throws -> EventMonitor {
        let monitor = EventMonitor([EventSink(blocked), EventSink(events)])
        _ = try await fake(200).observing(by: monitor).send(HTTPRequest(.get, "http://first.test/"))
        try await blocked.arrived.wait()
        return monitor
    }

    /// The events of attempts of the test's request.
    private var attempts: [CallEvent] {
        events.all.filter { $0.call.request.url == request.url && $0.word.hasPrefix("attempt") }
    }

    @Test func `calls that share a request each have an end, and one has the attempt`() async throws {
        let metrics = MemoryMetrics()
        let monitor = EventMonitor([EventSink(events), .metrics(metrics)])
        let gate = Gate()
        let executor = ObservedExecutor()
        let transport = ScriptedTransport([.after(gate, .text("shared"))], then: .text("next"))
            .observingAttempts(by: monitor).coalescing().observing(by: monitor).ignoringLaterSignOuts()
        let request = request
        let tasks = (0..<5).map { _ in Task(executorPreference: executor) { try await transport.send(request) } }
        try await gate.waitForWaiters(1)
        try await executor.waitUntilIdle()
        gate.open()
        for task in tasks { #expect(try await task.value.body == Data("shared".utf8)) }
        await monitor.flush()
        events.expectWholeCalls()
        let words = events.words
        #expect(events.ends.count == 5 && words.count { $0 == "coalesced" } == 4)
        #expect(words.count { $0 == "attempt 1 initial" } == 1 && words.count { $0 == "attempt 1 completed" } == 1)
        #expect(metrics.series(of: .requestDuration).map(\.count) == [1])
    }

    @Test func `the first of shared calls is cancelled, another one has the end of the attempt`() async throws {
        let metrics = MemoryMetrics()
        let monitor = EventMonitor([EventSink(events), .metrics(metrics)])
        let gate = Gate()
        let executor = ObservedExecutor()
        let transport = ScriptedTransport([.after(gate, .text("shared"))])
            .observingAttempts(by: monitor).coalescing().observing(by: monitor).ignoringLaterSignOuts()
        let request = request
        let first = Task(executorPreference: executor) { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        let second = Task(executorPreference: executor) { try await transport.send(request) }
        try await executor.waitUntilIdle()
        first.cancel()
        await #expect(throws: TransportError.self) { try await first.value }
        gate.open()
        _ = try await second.value
        await monitor.flush()
        events.expectWholeCalls()
        #expect(Set(events.ends.map(\.word)) == ["failed", "completed"])
        let calls = Dictionary(grouping: events.all, by: \.call.id).values.map { $0.map(\.word) }
        #expect(calls.contains(["created", "attempt 1 initial", "ended failed"]))
        let shared = try #require(calls.first { $0.contains("coalesced") })
        #expect(shared.suffix(3) == ["attempt 1 initial", "attempt 1 completed", "ended completed"])
        let attempts = events.all.compactMap { if case .attemptEnded(let end) = $0.kind { end.attempt } else { nil } }
        #expect(attempts.map { $0.start <= .zero } == [true])
        #expect(metrics.series(of: .requestDuration).map(\.count) == [1])
    }

    @Test func `what a queue and a circuit do for calls that share a request is counted once`() async throws {
        let metrics = MemoryMetrics()
        let monitor = EventMonitor([EventSink(events), .metrics(metrics)])
        let gate = Gate()
        let executor = ObservedExecutor()
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(60)), openDuration: .seconds(10))
        let queue = RequestQueue()
        queue.pause()
        let transport = ScriptedTransport([.after(gate, .failure(.connectionRefused))])
            .observingAttempts(by: monitor).circuitBreaking(policy, clock: clock).queued(in: queue).coalescing()
            .observing(by: monitor).ignoringLaterSignOuts()
        let request = request
        let tasks = (0..<5).map { _ in Task(executorPreference: executor) { try await transport.send(request) } }
        try await executor.waitUntilIdle()
        queue.resume()
        try await gate.waitForWaiters(1)
        gate.open()
        for task in tasks { await #expect(throws: TransportError.self) { try await task.value } }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.ends.count == 5 && metrics.sum(of: .circuitEvents) == 1)
        #expect(metrics.series(of: .queueWait).map(\.count) == [1] && metrics.sum(of: .queueLength) == 0)
    }

    @Test func `two monitors of calls and attempts each get everything once`() async throws {
        let (first, second) = (CollectedEvents(), CollectedEvents())
        let (one, two) = (EventMonitor([EventSink(first)]), EventMonitor([EventSink(second)]))
        let transport = fake(302, 503, 200).observingAttempts(by: one).observingAttempts(by: two)
            .redirecting(clock: clock).retrying(.immediate).observing(by: one).observing(by: two)
        _ = try await transport.send(request)
        await one.flush()
        await two.flush()
        first.expectWholeCalls()
        #expect(first.words == second.words && first.ends.count == 1 && first.ends.first?.attempts == 3)
        #expect(first.all.map(\.call.id) == second.all.map(\.call.id))
    }

    @Test(arguments: [true, false])
    func `of two layers for attempts the one next to the network reports them`(isCallObserved: Bool) async throws {
        let monitor = monitor
        let inner = fake(503, 200).observingAttempts(by: monitor).retrying(.immediate)
        let transport =
            isCallObserved
            ? AnyTransport(inner.observingAttempts(by: monitor).observing(by: monitor))
            : AnyTransport(inner.observingAttempts(by: monitor))
        _ = try await transport.send(request)
        await monitor.flush()
        events.expectWholeCalls()
        #expect(
            events.words == [
                "created", "attempt 1 initial", "head 503", "body 5", "attempt 1 completed", "retry",
                "attempt 2 retry", "head 200", "body 5", "attempt 2 completed", "ended completed",
            ])
        #expect(events.ends.map(\.attempts) == [2] && events.ends.first?.hasObservedAttempts == true)
    }

    @Test func `an attempt through two stacks has the request that the inner one sends`() async throws {
        let blocked = BlockedSink()
        let monitor = try await blockedMonitor(by: blocked)
        let transport = fake(200).observingAttempts(by: monitor).tracing().observing(by: monitor)
            .observingAttempts(by: monitor).observing(by: monitor)
        _ = try await transport.send(request)
        blocked.goOn()
        await monitor.flush()
        #expect(attempts.map(\.word) == ["attempt 1 initial", "attempt 1 completed"])
        let sent = attempts.compactMap { if case .attempt(let attempt) = $0.kind { attempt.request } else { nil } }
        #expect(sent.map { $0.fields["traceparent"] != nil } == [true])
    }

    @Test(arguments: [true, false])
    func `of calls through one and two stacks that share a request one has the attempt`(
        isFirstThroughOne: Bool
    ) async throws {
        let blocked = BlockedSink()
        let monitor = try await blockedMonitor(by: blocked)
        let executor = ObservedExecutor()
        let queue = RequestQueue()
        queue.pause()
        let inner = fake(200).observingAttempts(by: monitor).queued(in: queue).coalescing().observing(by: monitor)
        let outer = inner.observingAttempts(by: monitor).observing(by: monitor).ignoringLaterSignOuts()
        let one = inner.ignoringLaterSignOuts()
        let request = request
        let first = Task(executorPreference: executor) {
            try await (isFirstThroughOne ? one.send(request) : outer.send(request))
        }
        try await executor.waitUntilIdle()
        let second = Task(executorPreference: executor) { try await outer.send(request) }
        try await executor.waitUntilIdle()
        queue.resume()
        _ = try await (first.value, second.value)
        blocked.goOn()
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.words.contains("coalesced"))
        #expect(attempts.map(\.word) == ["attempt 1 initial", "attempt 1 completed"])
    }

    @Test func `a call that waits in a queue says so, and one that is cancelled there ends`() async throws {
        let monitor = monitor
        let gate = Gate()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let transport = ScriptedTransport([.after(gate, .text("first"))], then: .text("next"))
            .queued(in: queue).observing(by: monitor)
        let request = request
        let executor = ObservedExecutor()
        let first = Task(executorPreference: executor) { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        let second = Task(executorPreference: executor) { try await transport.send(request) }
        try await executor.waitUntilIdle()
        let third = Task(executorPreference: executor) { try await transport.send(request) }
        try await executor.waitUntilIdle()
        third.cancel()
        await #expect(throws: TransportError.self) { try await third.value }
        gate.open()
        _ = try await (first.value, second.value)
        await monitor.flush()
        events.expectWholeCalls()
        let byCall = Dictionary(grouping: events.all, by: \.call.id).values.map { $0.map(\.word) }
        #expect(byCall.contains { $0.prefix(2) == ["created", "started"] })
        #expect(byCall.contains { $0.prefix(3) == ["created", "queued", "started"] })
        #expect(byCall.contains { $0 == ["created", "queued", "ended failed"] })
    }

    @Test func `a circuit tells when it opens, and a refused call has no attempt`() async throws {
        let monitor = monitor
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(60)), openDuration: .seconds(10))
        let transport = fake(503, 200).observingAttempts(by: monitor).circuitBreaking(policy, clock: clock)
            .observing(by: monitor)
        _ = try await transport.send(request)
        await #expect(throws: AdmissionError.self) { try await transport.send(request) }
        await clock.advance(by: .seconds(11))
        _ = try await transport.send(request)
        await monitor.flush()
        events.expectWholeCalls()
        let words = events.words.filter { $0.hasPrefix("circuit") }
        #expect(
            words == ["circuit opened", "circuit open, request not sent", "circuit half-open", "circuit closed"])
        #expect(events.words.count { $0.hasPrefix("attempt 1 initial") } == 2)
    }

    @Test func `retries inside of hedges end once, and all their attempts are told`() async throws {
        let monitor = monitor
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .text("late")), .failure(.connectionLost), .text("won")])
        let transport = base.observingAttempts(by: monitor).retrying(.immediate)
            .hedging(after: .seconds(1), clock: clock).observing(by: monitor)
        let request = request
        let task = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        #expect(try await task.value.body == Data("won".utf8))
        await monitor.flush()
        events.expectWholeCalls()
        let words = events.words
        #expect(
            words.filter { $0.hasPrefix("attempt") && !$0.contains("ed") } == [
                "attempt 1 initial", "attempt 3 retry",
            ], "\(words)")
        #expect(words.contains("attempt 2 hedge") && words.contains("attempt 3 completed"))
        #expect(words.contains("retry") && words.last == "ended completed")
    }

    @Test func `a hedged stream ends when its reader does, with one end`() async throws {
        let monitor = monitor
        let gate = Gate()
        let base = ScriptedTransport([.after(gate, .text("late")), .text("won")])
        let transport = base.observingAttempts(by: monitor).hedging(after: .seconds(1), clock: clock)
            .observing(by: monitor)
        let request = request
        let task = Task { try await transport.stream(request).body.collect() }
        try await gate.waitForWaiters(1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        #expect(try await task.value == Data("won".utf8))
        await monitor.flush()
        events.expectWholeCalls()
    }

    @Test func `a download that continues has an observed call for each of its requests, with one ID`() async throws {
        let monitor = monitor
        let head = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 100000\r\n\r\n"
        let whole = String(repeating: "x", count: 100_000)
        try await LoopbackServer(script: { request in
            request.number == 0 ? [.send(head + whole.prefix(50_000)), .close] : [.send(head + whole)]
        }).stopping { server in
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let transport = TestTransport.make().observingAttempts(by: monitor).observing(by: monitor)
            let done = try await transport.download(
                HTTPRequest(.get, server.url(of: "/file")), to: file, options: .retrying)
            #expect(done.byteCount == 100_000)
        }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.ends.map(\.word).contains("completed"))
        #expect(events.ends.count { $0.attempt == nil } == 2 && Set(events.all.map(\.call.id)).count == 1)
    }

    @Test func `over sockets a response has the measurements of its transfer, and so has an error`() async throws {
        let monitor = monitor
        let transport = TestTransport.make().observingAttempts(by: monitor).observing(by: monitor)
        try await LoopbackServer { $0.response(body: Data("hello".utf8)) }.stopping { server in
            let response = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
            let metrics = try #require(response.head.metrics)
            #expect(metrics.total > .zero && metrics.bytesReceived == 5)
            #expect((metrics.firstByte ?? .zero) <= metrics.total)
            let stream = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            #expect(try await stream.body.collect().count == 5)
            #expect(stream.head.metrics?.bytesReceived == 5)
        }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.ends.allSatisfy { $0.metrics != nil })
        let refused = try RefusedPort()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.get, "http://127.0.0.1:\(refused.port)/"))
        }
        #expect(error?.metrics?.firstByte == nil && error?.metrics != nil)
    }
}
