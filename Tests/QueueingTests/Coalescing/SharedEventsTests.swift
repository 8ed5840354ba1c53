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

    private struct Immediate: TransferObserver {
        let log = EventRecorder()
        var isImmediate: Bool { true }
        func transfer(didEmit event: TransferEvent) { log.transfer(didEmit: event) }
    }

    @Test func `an event of a queue or a circuit is for one immediate relay, those of other layers for all`() {
        let events = SharedEvents(isImmediate: true)
        let (slow, observers) = (EventRecorder(), (0..<2).map { _ in Immediate() })
        events.add(ObserverRelay(slow))
        let relays = observers.map { ObserverRelay($0) }
        for relay in relays { events.add(relay) }
        let waiting = TransferEvent.layer(QueueEvent.queued(length: 1))
        let hedged = TransferEvent.layer(HedgeEvent.started(attempt: 2))
        let (started, opened) = (QueueEvent.started(wait: .zero), CircuitEvent.opened(origin: "http://h:80"))
        for event in [waiting, hedged] { events.transfer(didEmit: event) }
        // The call of the first one has ended.
        events.remove(relays[0])
        for event in [TransferEvent.layer(started), .layer(opened)] { events.transfer(didEmit: event) }
        #expect(observers[0].log.events == [waiting, hedged])
        #expect(observers[1].log.events == [hedged, .layer(started), .layer(opened)] && slow.events.isEmpty)
    }
}
