import Coordination
import Dispatch
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct ObserverRelayTests {
    /// Records events, and blocks in the first one until the gate opens.
    private final class BlockingObserver: TransferObserver {
        let log = EventLog()
        let entered = Gate()
        let leave = DispatchSemaphore(value: 0)
        func transfer(didEmit event: TransferEvent) {
            log.transfer(didEmit: event)
            guard !entered.isOpen else { return }
            entered.open()
            leave.wait()
        }
    }

    private let clock = ManualClock()
    // Not the shared threads: a blocked observer would hold up, and in the end drop, the events of other tests.
    private let threads = WorkerThreads(count: 1, name: "observers")
    private let head = TransferEvent.head(HTTPResponseHead(status: .ok, url: echoURL))

    @Test func `delivers the latest event of each kind in order, then completes`() async throws {
        let blocking = BlockingObserver()
        let relay = ObserverRelay(blocking, on: threads)
        relay.send(.sentBytes(1, total: nil))
        try await blocking.entered.wait()
        for count in 2...9 { relay.send(.sentBytes(Int64(count), total: nil)) }
        relay.send(head)
        for count in 1...9 { relay.send(.receivedBytes(Int64(count), total: 9)) }
        let done = Gate()
        relay.finish { done.open() }
        #expect(blocking.log.events == [.sentBytes(1, total: nil)] && !done.isOpen)
        blocking.leave.signal()
        try await done.wait()
        #expect(
            blocking.log.events == [
                .sentBytes(1, total: nil), .sentBytes(9, total: nil), head, .receivedBytes(9, total: 9),
            ])
    }

    @Test func `abandoning drops pending events and waits for the running one`()
        async throws
    {
        let blocking = BlockingObserver()
        let relay = ObserverRelay(blocking, on: threads, clock: AnyMonotonicClock(clock))
        relay.send(.sentBytes(1, total: nil))
        try await blocking.entered.wait()
        relay.send(head)
        let done = Gate()
        relay.abandon { done.open() }
        try await clock.waitForSleepers(1)
        #expect(!done.isOpen)
        blocking.leave.signal()
        try await done.wait()
        #expect(blocking.log.events == [.sentBytes(1, total: nil)])
    }

    private enum End: CaseIterable {
        case abandoned
        case finishedThenExpedited
        case expeditedThenFinished
    }

    @Test(arguments: End.allCases)
    private func `a blocked observer delays an abandoned completion only for the grace period`(end: End) async throws {
        let blocking = BlockingObserver()
        let relay = ObserverRelay(blocking, on: threads, clock: AnyMonotonicClock(clock))
        relay.send(.sentBytes(1, total: nil))
        try await blocking.entered.wait()
        relay.send(head)
        let done = Gate()
        switch end {
        case .abandoned: relay.abandon { done.open() }
        case .finishedThenExpedited:
            relay.finish { done.open() }
            relay.expediteFinish()
        case .expeditedThenFinished:
            relay.expediteFinish()
            relay.finish { done.open() }
        }
        try await clock.waitForSleepers(1)
        #expect(!done.isOpen)
        await clock.advanceToNextDeadline()
        try await done.wait()
        blocking.leave.signal()
        let next = Gate()
        relay.send(.sentBytes(2, total: nil))
        threads.run { next.open() }
        try await next.wait()
        #expect(blocking.log.events == [.sentBytes(1, total: nil)])
    }

    @Test func `observers that block all threads do not block the completion of another transfer`()
        async throws
    {
        let blocking = (0..<2).map { _ in BlockingObserver() }
        for blocking in blocking { ObserverRelay(blocking, on: threads).send(head) }
        try await blocking[0].entered.wait()
        let log = EventLog()
        let relay = ObserverRelay(log, on: threads, clock: AnyMonotonicClock(clock))
        relay.send(head)
        let done = Gate()
        relay.finish { done.open() }
        try await clock.waitForSleepers(1)
        #expect(!done.isOpen)
        await clock.advanceToNextDeadline()
        try await done.wait()
        for blocking in blocking { blocking.leave.signal() }
        // Dropped events are never delivered.
        let next = Gate()
        threads.run { next.open() }
        try await next.wait()
        #expect(log.events.isEmpty && blocking[1].log.events == [head])
    }

    @Test func `a busy transfer does not starve the observers of others`() async throws {
        let blocking = BlockingObserver()
        let all = EventLog()
        let busy = ObserverRelay(blocking, on: threads)
        busy.send(.receivedBytes(1, total: nil))
        try await blocking.entered.wait()
        let other = ObserverRelay(all, on: threads)
        other.send(head)
        busy.send(.receivedBytes(2, total: nil))
        let done = Gate()
        let seen = Gate()
        other.finish {
            if blocking.log.events.count == 1 { seen.open() }
            done.open()
        }
        blocking.leave.signal()
        try await done.wait()
        #expect(seen.isOpen && all.events == [head])
    }

    @Test func `completes without events`() async throws {
        let log = EventLog()
        let done = Gate()
        ObserverRelay(log, on: threads).finish { done.open() }
        try await done.wait()
        #expect(log.events.isEmpty)
    }

    @Test func `never completes before the last event`() async throws {
        for round in 0..<200 {
            let log = EventLog()
            let relay = ObserverRelay(log, on: threads)
            let done = Gate()
            for count in 0..<(round % 20) { relay.send(.receivedBytes(Int64(count), total: nil)) }
            relay.finish { done.open() }
            try await done.wait()
            #expect(log.events.last == (round % 20 == 0 ? nil : .receivedBytes(Int64(round % 20 - 1), total: nil)))
            let counts = log.events.compactMap { if case .receivedBytes(let count, _) = $0 { count } else { nil } }
            #expect(counts == counts.sorted())
        }
    }
}
