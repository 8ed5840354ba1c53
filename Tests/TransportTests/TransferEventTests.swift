import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct TransferEventTests {
    @Test func `keeps the latest event of each kind, and every retry`() throws {
        let busy = TransferEvent.retry(after: .init(.status(.serviceUnavailable), backoff: .zero))
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
}
