import Foundation
import HTTPCaching
import HTTPMessages
import Queueing
import Testing
import Transport

@testable import Monitoring

@Suite struct PendingEventsTests {
    private let call: ObservedCall

    init() throws {
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        call = ObservedCall(id: CallID(rawValue: 1), request: request, date: Date(timeIntervalSince1970: 0))
    }

    private func log(limit: Int = 100) -> PendingEvents {
        PendingEvents(CallEvent(.created, of: call, time: .zero), limit: limit)
    }

    private func words(_ log: inout PendingEvents) -> [String] { log.take().map(\.word) }

    private func end(_ log: PendingEvents) -> ObservedEnd {
        ObservedEnd(.completed, duration: .zero, attempts: log.attemptCount, droppedEvents: log.droppedEvents)
    }

    @Test func `progress that was not delivered is joined`() {
        var log = log()
        for count in 1...1000 {
            let mustTell = log.record(.receivedBytes(Int64(count), total: 1000), of: call, time: .zero)
            #expect(!mustTell)
        }
        #expect(words(&log) == ["created", "attempt 1 initial", "body 1000"])
        #expect(log.receivedBytes == 1000)
    }

    @Test func `the monitor is told once until it takes the events`() {
        var log = log()
        #expect(log.isListed)
        var told = [log.record(.sentBytes(1, total: nil), of: call, time: .zero)]
        _ = log.take()
        told.append(log.record(.sentBytes(2, total: nil), of: call, time: .zero))
        told.append(log.record(.sentBytes(3, total: nil), of: call, time: .zero))
        #expect(told == [false, true, false] && words(&log) == ["sent 3"])
    }

    @Test func `beyond the limit events are dropped and counted, the end is kept, and there is one end`() {
        var log = log(limit: 3)
        for _ in 0..<10 { _ = log.record(.layer(QueueEvent.queued(length: 1)), of: call, time: .zero) }
        _ = log.end(end(log), of: call, time: .zero)
        let mustTell = log.end(end(log), of: call, time: .zero)
        #expect(!mustTell && log.isEnded)
        _ = log.record(.layer(QueueEvent.queued(length: 1)), of: call, time: .zero)
        let events = log.take()
        #expect(events.map(\.word) == ["created", "queued", "queued", "ended completed"])
        guard case .ended(let end)? = events.last?.kind else { return #expect(Bool(false)) }
        #expect(end.droppedEvents == 8)
    }

    @Test func `a shared call has no attempt of its own`() {
        var log = log()
        _ = log.record(.layer(CoalescingEvent()), of: call, time: .zero)
        _ = log.record(.receivedBytes(1, total: 1), of: call, time: .zero)
        #expect(words(&log) == ["created", "coalesced", "body 1"] && log.attemptCount == 0)
    }

    @Test func `a response from a cache is no attempt, and what follows a cached redirect is one`() throws {
        var log = log()
        var hit = CacheStatus()
        hit.isHit = true
        _ = log.record(.layer(CacheEvent.status(hit)), of: call, time: .zero)
        _ = log.record(.receivedBytes(1, total: 1), of: call, time: .zero)
        #expect(words(&log) == ["created", "cache: Patchbay; hit", "body 1"] && log.attemptCount == 0)
        let head = HTTPResponseHead(status: .found, url: call.request.url)
        _ = log.record(.layer(RedirectEvent(head, to: call.request.url)), of: call, time: .zero)
        _ = log.record(.receivedBytes(1, total: 1), of: call, time: .zero)
        #expect(words(&log) == ["redirect 302", "attempt 1 redirect", "body 1"] && log.attemptCount == 1)
    }

    @Test func `a request that was not sent does not count as an attempt`() {
        var log = log()
        let unsent = TransportError.AttemptRecord(.notSent("circuit open"), backoff: .zero)
        _ = log.record(.layer(RetryEvent(after: unsent)), of: call, time: .zero)
        let failed = TransportError.AttemptRecord(.failure(.connectionLost, "lost"), backoff: .zero)
        _ = log.record(.layer(RetryEvent(after: failed)), of: call, time: .zero)
        _ = log.record(.sentBytes(1, total: 1), of: call, time: .zero)
        #expect(words(&log) == ["created", "retry", "attempt 1 retry", "retry", "attempt 2 retry", "sent 1"])
    }

    @Test func `an attempt is withdrawn until it has another event, or the monitor has taken it`() {
        var log = log()
        _ = log.startAttempt(call.request, of: call, time: .zero)
        var withdrawn = [log.withdrawAttempt(1)]
        _ = log.startAttempt(call.request, of: call, time: .zero)
        _ = log.record(.receivedBytes(1, total: 1), 1, of: call, time: .zero)
        withdrawn.append(log.withdrawAttempt(1))
        #expect(words(&log) == ["created", "attempt 1 initial", "body 1"])
        _ = log.startAttempt(call.request, of: call, time: .zero)
        #expect(words(&log) == ["attempt 2 initial"])
        withdrawn.append(log.withdrawAttempt(2))
        #expect(withdrawn == [true, false, false] && log.attemptCount == 2)
    }

    @Test func `an event of an unknown layer is passed on`() {
        struct Custom: LayerEvent { var description: String { "custom" } }
        var log = log()
        _ = log.record(.layer(Custom()), of: call, time: .seconds(1))
        #expect(words(&log) == ["created", "layer custom"])
    }
}
