import Dispatch
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite("ObserverRelay", .needsSlot) struct ObserverRelayTests {
    /// Keeps events, and waits in the first until it may go on.
    private final class Held: TransferObserver {
        let log = EventLog()
        let entered = Gate()
        let leave = DispatchSemaphore(value: 0)
        func transfer(didReach event: TransferEvent) {
            log.transfer(didReach: event)
            guard !entered.isOpen else { return }
            entered.open()
            leave.wait()
        }
    }

    private let clock = ManualClock()
    private let threads = WorkerThreads(count: 1, name: "observers")
    private let head = TransferEvent.head(HTTPResponseHead(status: .ok, url: echoURL))

    @Test("keeps the order and the last of each kind, then completes") func coalescing() async throws {
        let held = Held()
        let relay = ObserverRelay(held)
        relay.send(.sent(1, of: nil))
        try await held.entered.wait()
        for count in 2...9 { relay.send(.sent(Int64(count), of: nil)) }
        relay.send(head)
        for count in 1...9 { relay.send(.received(Int64(count), of: 9)) }
        let done = Gate()
        relay.finish { done.open() }
        #expect(held.log.events == [.sent(1, of: nil)] && !done.isOpen)
        held.leave.signal()
        try await done.wait()
        #expect(held.log.events == [.sent(1, of: nil), .sent(9, of: nil), head, .received(9, of: 9)])
    }

    @Test("drops what waits when it is abandoned, and waits for the event that is being heard") func abandonment()
        async throws
    {
        let held = Held()
        let relay = ObserverRelay(held, timeline: Timeline(clock))
        relay.send(.sent(1, of: nil))
        try await held.entered.wait()
        relay.send(head)
        let done = Gate()
        relay.abandon { done.open() }
        try await clock.waitForSleepers(1)
        #expect(!done.isOpen)
        held.leave.signal()
        try await done.wait()
        #expect(held.log.events == [.sent(1, of: nil)])
    }

    @Test("an observer that blocks does not keep an abandoned end", arguments: [true, false])
    func blockedByItself(isFinishing: Bool) async throws {
        let held = Held()
        let relay = ObserverRelay(held, timeline: Timeline(clock))
        relay.send(.sent(1, of: nil))
        try await held.entered.wait()
        relay.send(head)
        let done = Gate()
        if isFinishing {
            relay.finish { done.open() }
            relay.hurry()
        } else {
            relay.abandon { done.open() }
        }
        try await clock.waitForSleepers(1)
        #expect(!done.isOpen)
        await clock.advanceToNextDeadline()
        try await done.wait()
        held.leave.signal()
        let next = Gate()
        relay.send(.sent(2, of: nil))
        threads.run { next.open() }
        try await next.wait()
        #expect(held.log.events == [.sent(1, of: nil)])
    }

    @Test("observers that block all threads do not keep the end of another transfer") func blockedByOthers()
        async throws
    {
        let held = (0..<2).map { _ in Held() }
        for held in held { ObserverRelay(held, on: threads).send(head) }
        try await held[0].entered.wait()
        let log = EventLog()
        let relay = ObserverRelay(log, on: threads, timeline: Timeline(clock))
        relay.send(head)
        let done = Gate()
        relay.finish { done.open() }
        try await clock.waitForSleepers(1)
        #expect(!done.isOpen)
        await clock.advanceToNextDeadline()
        try await done.wait()
        for held in held { held.leave.signal() }
        // What was dropped stays so.
        let next = Gate()
        threads.run { next.open() }
        try await next.wait()
        #expect(log.events.isEmpty && held[1].log.events == [head])
    }

    @Test("a transfer with events all the time lets others have theirs") func takingTurns() async throws {
        let held = Held()
        let all = EventLog()
        let busy = ObserverRelay(held, on: threads)
        busy.send(.received(1, of: nil))
        try await held.entered.wait()
        let other = ObserverRelay(all, on: threads)
        other.send(head)
        busy.send(.received(2, of: nil))
        let done = Gate()
        let seen = Gate()
        other.finish {
            if held.log.events.count == 1 { seen.open() }
            done.open()
        }
        held.leave.signal()
        try await done.wait()
        #expect(seen.isOpen && all.events == [head])
    }

    @Test("completes without any event") func noEvents() async throws {
        let log = EventLog()
        let done = Gate()
        ObserverRelay(log).finish { done.open() }
        try await done.wait()
        #expect(log.events.isEmpty)
    }

    @Test("never completes before the last event, whatever the timing") func racing() async throws {
        for round in 0..<200 {
            let log = EventLog()
            let relay = ObserverRelay(log)
            let done = Gate()
            for count in 0..<(round % 20) { relay.send(.received(Int64(count), of: nil)) }
            relay.finish { done.open() }
            try await done.wait()
            #expect(log.events.last == (round % 20 == 0 ? nil : .received(Int64(round % 20 - 1), of: nil)))
            let counts = log.events.compactMap { if case .received(let count, _) = $0 { count } else { nil } }
            #expect(counts == counts.sorted())
        }
    }
}
