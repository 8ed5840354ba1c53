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

    @Test("drops what waits when it is abandoned") func abandonment() async throws {
        let held = Held()
        let relay = ObserverRelay(held)
        relay.send(.sent(1, of: nil))
        try await held.entered.wait()
        relay.send(head)
        let done = Gate()
        relay.abandon { done.open() }
        #expect(!done.isOpen)
        held.leave.signal()
        try await done.wait()
        #expect(held.log.events == [.sent(1, of: nil)])
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
