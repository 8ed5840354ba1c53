import Authentication
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 1 and 2: the events of a call, in order, with exactly one end.
@Suite(.needsSlot) struct ObservingTests {
    private let events = CollectedEvents(bodyLimit: 16)
    private let clock = ManualClock()
    private var monitor: EventMonitor { EventMonitor([EventSink(events)], clock: clock) }

    @Test func `a call over a fake has its events in order`() async throws {
        let monitor = monitor
        let transport = fake(200).observingAttempts(by: monitor).observing(by: monitor)
        let response = try await transport.send(HTTPRequest(.post, "http://patchbay.test/", body: .text("abc")))
        await monitor.flush()
        #expect(
            events.words == [
                "created", "attempt 1 initial", "sent 3", "head 200", "body 5", "attempt 1 completed",
                "ended completed",
            ])
        events.expectWholeCalls()
        let end = try #require(events.ends.first)
        #expect(end.head == response.head && end.receivedBytes == 5 && end.sentBytes == 3 && end.attempts == 1)
        #expect(end.body == Data("hello".utf8))
    }

    @Test func `without a layer for attempts they follow from the other events`() async throws {
        let monitor = monitor
        let transport = fake(302, 503, 200).redirecting(clock: clock).retrying(.immediate).observing(by: monitor)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        await monitor.flush()
        #expect(
            events.words == [
                "created", "attempt 1 initial", "head 302", "redirect 302", "attempt 2 redirect", "head 503", "body 5",
                "retry", "attempt 3 retry", "head 200", "body 5", "ended completed",
            ])
        events.expectWholeCalls()
    }

    @Test func `attempts have the reason of the layer that sends them`() async throws {
        let monitor = monitor
        let tokens = countingTokens()
        let transport = fake(302, 503, 401, 200).observingAttempts(by: monitor).redirecting(clock: clock)
            .authorizing(with: tokens, at: try AllowedOrigins("http://patchbay.test"), clock: clock)
            .queued(in: RequestQueue(clock: clock)).retrying(.immediate).observing(by: monitor)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        await monitor.flush()
        #expect(
            events.words == [
                "created", "started", "credential", "attempt 1 initial", "head 302", "attempt 1 completed",
                "redirect 302", "attempt 2 redirect", "head 503", "body 5", "attempt 2 completed", "retry", "started",
                "attempt 3 retry", "head 401", "body 5", "attempt 3 completed", "challenge 401", "credential",
                "attempt 4 challenge", "head 200", "body 5", "attempt 4 completed", "ended completed",
            ])
        events.expectWholeCalls()
        #expect(Set(events.all.map(\.call.id)).count == 1)
    }

    @Test func `a failed call has one end, with the error`() async throws {
        let monitor = monitor
        let transport = ScriptedTransport([.failure(.connectionLost), .failure(.connectionRefused)])
            .observingAttempts(by: monitor).retrying(.immediate).observing(by: monitor)
        await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.words.last == "ended failed")
        #expect((events.ends.first?.error as? TransportError)?.attempts.count == 2)
    }

    @Test func `a cancelled call has one end`() async throws {
        let monitor = monitor
        let gate = Gate()
        let transport = ScriptedTransport([.after(gate, .text("late"))])
            .observingAttempts(by: monitor).observing(by: monitor)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let task = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        task.cancel()
        await #expect(throws: TransportError.self) { try await task.value }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.words == ["created", "attempt 1 initial", "attempt 1 failed", "ended failed"])
        #expect(events.ends.first?.error?.isCancellation == true)
    }

    @Test func `a stream ends with its last byte, with its error, or when its reader releases it`() async throws {
        let monitor = monitor
        let transport = fake(200).observingAttempts(by: monitor).observing(by: monitor)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let read = try await transport.stream(request)
        #expect(try await read.body.collect() == Data("hello".utf8))
        await monitor.flush()
        #expect(
            events.words == [
                "created", "attempt 1 initial", "head 200", "body 5", "attempt 1 completed", "ended completed",
            ])
        do { _ = try await transport.stream(request) }
        await monitor.flush()
        #expect(events.words.suffix(2) == ["attempt 1 abandoned", "ended abandoned"])
        do {
            let half = try await transport.stream(request)
            var chunks = half.body.makeAsyncIterator()
            _ = try await chunks.next()
        }
        await monitor.flush()
        #expect(events.words.suffix(2) == ["attempt 1 abandoned", "ended abandoned"])
        events.expectWholeCalls()
        #expect(events.ends.map(\.word) == ["completed", "abandoned", "abandoned"])
        #expect(events.ends.first?.body == Data("hello".utf8))
    }

    @Test func `the observer of the app gets its events too, and none of the layers`() async throws {
        let monitor = monitor
        let log = EventRecorder()
        let transport = fake(302, 200).observingAttempts(by: monitor).redirecting(clock: clock)
            .observing(by: monitor)
        let response = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"), observer: log)
        await monitor.flush()
        events.expectWholeCalls()
        #expect(log.events.contains(.receivedBytes(5, total: 5)))
        #expect(log.events.allSatisfy { if case .layer = $0 { false } else { true } })
        #expect(response.status == .ok && events.words.contains("redirect 302"))
    }

    /// Blocks in its first event.
    private struct Blocked: TransferObserver {
        let entered = Gate()
        let leave = DispatchSemaphore(value: 0)
        func transfer(didEmit event: TransferEvent) {
            guard !entered.isOpen else { return }
            entered.open()
            leave.wait()
        }
    }

    // One after the other: each blocks a thread of all observers.
    @Test(.serialized, arguments: [false, true], [false, true])
    func `the total timeout bounds a call whose observer blocks`(isStream: Bool, isAttempt: Bool) async throws {
        let (monitor, observer) = (monitor, Blocked())
        defer { observer.leave.signal() }
        let transport =
            isAttempt
            ? AnyTransport(fake(200).observingAttempts(by: monitor)) : AnyTransport(fake(200).observing(by: monitor))
        let options = RequestOptions { $0.timeouts.total = .seconds(5) }
        let request = try HTTPRequest(.get, "http://patchbay.test/", options: options)
        let task = Task { () async throws -> Data in
            if isStream { return try await transport.stream(request, observer: observer).body.collect() }
            return try await transport.send(request, observer: observer).body
        }
        try await observer.entered.wait()
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(5))
        #expect(try await task.value == Data("hello".utf8))
    }

    @Test func `attempts without a layer for calls are calls, and several monitors combine`() async throws {
        let (inner, outer) = (CollectedEvents(), CollectedEvents())
        let (first, second) = (EventMonitor([EventSink(inner)]), EventMonitor([EventSink(outer)]))
        let transport = fake(302, 200).observingAttempts(by: first).redirecting(clock: clock)
            .observing(by: second).observing(by: second)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        await first.flush()
        await second.flush()
        inner.expectWholeCalls()
        outer.expectWholeCalls()
        #expect(inner.ends.count == 2 && outer.ends.count == 1)
        #expect(Set(outer.all.map(\.call.id)).count == 1)
    }

    @Test func `hedged attempts are told apart, and the loser ends before the call`() async throws {
        let monitor = monitor
        let gate = Gate()
        let transport = ScriptedTransport([.after(gate, .text("late")), .text("first")])
            .observingAttempts(by: monitor).hedging(after: .seconds(1), clock: clock).observing(by: monitor)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let task = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        #expect(try await task.value.body == Data("first".utf8))
        await monitor.flush()
        events.expectWholeCalls()
        let words = events.words
        #expect(words.contains("attempt 1 initial") && words.contains("attempt 2 hedge"), "\(words)")
        #expect(words.contains("attempt 1 failed") && words.contains("attempt 2 completed"), "\(words)")
        #expect(words.contains("hedge: attempt 2 started") && words.contains("hedge: attempt 2 had the first response"))
    }
}
