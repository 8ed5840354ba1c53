import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct TransferEventTests {
    private struct Pause: LayerEvent {
        let seconds: Int
        var description: String { "paused for \(seconds) s" }
    }
    private struct Stop: LayerEvent {
        let description = "stopped"
    }

    @Test func `keeps the latest event of each kind, and every event of a layer`() throws {
        let busy = TransferEvent.layer(Pause(seconds: 1))
        let url = try URL(httpString: "http://h/")
        let heads = [HTTPStatus.serviceUnavailable, .ok].map { TransferEvent.head(.init(status: $0, url: url)) }
        var events: [TransferEvent] = []
        for event in [
            .sentBytes(1, total: 2), heads[0], busy, busy, .sentBytes(2, total: 2), heads[1],
            .receivedBytes(1, total: nil),
        ] {
            events.supersede(with: event)
        }
        events.supersede(with: .receivedBytes(5, total: 5))
        #expect(events == [busy, busy, .sentBytes(2, total: 2), heads[1], .receivedBytes(5, total: 5)])
    }

    @Test func `events are equal by kind and values`() throws {
        let url = try URL(httpString: "http://h/")
        let events: [TransferEvent] = [
            .sentBytes(1, total: 2), .sentBytes(1, total: nil), .receivedBytes(1, total: 2),
            .receivedBytes(3, total: 2),
            .head(.init(status: .ok, url: url)), .head(.init(status: .created, url: url)), .layer(Pause(seconds: 1)),
            .layer(Pause(seconds: 2)), .layer(Stop()),
        ]
        for (index, event) in events.enumerated() {
            #expect(events.indices.filter { events[$0] == event } == [index])
        }
        #expect(Set(events + events).count == events.count)
        guard case .layer(let event as Pause) = events[6] else { return #expect(Bool(false)) }
        #expect(event.seconds == 1 && "\(event)" == "paused for 1 s")
    }
}
