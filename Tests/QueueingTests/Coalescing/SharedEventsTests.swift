import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite struct SharedEventsTests {
    @Test func `a late relay gets the last missed event of each kind, a removed one nothing`() async {
        let events = SharedEvents()
        let observers = (0..<2).map { _ in EventRecorder() }
        let relays = observers.map { ObserverRelay($0) }
        events.add(relays[0])
        events.transfer(didEmit: .sentBytes(5, total: 5))
        for count in 1...3 as ClosedRange<Int64> { events.transfer(didEmit: .receivedBytes(count, total: nil)) }
        events.add(relays[1])
        events.remove(relays[0])
        events.transfer(didEmit: .receivedBytes(4, total: nil))
        for relay in relays { await withCheckedContinuation { done in relay.finish { done.resume() } } }
        #expect(observers[0].events.last == .receivedBytes(3, total: nil))
        #expect(observers[1].events.first == .sentBytes(5, total: 5))
        #expect(observers[1].events.last == .receivedBytes(4, total: nil))
    }
}
