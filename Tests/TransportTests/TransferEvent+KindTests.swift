import HTTPMessages
import Testing

@testable import Transport

@Suite struct TransferEventKindTests {
    @Test func `the last of each kind is kept, and every repeat`() throws {
        let busy = TransferEvent.retry(after: .init(.status(.serviceUnavailable), delay: .zero))
        let url = try HTTPRequest.url(of: "http://h/")
        let heads = [HTTPStatus.serviceUnavailable, .ok].map { TransferEvent.head(.init(status: $0, url: url)) }
        var events: [TransferEvent] = []
        for event in [.sent(1, of: 2), heads[0], busy, busy, .sent(2, of: 2), heads[1], .received(1, of: nil)] {
            events.supersede(with: event)
        }
        events.supersede(with: .received(5, of: 5))
        #expect(events == [busy, busy, .sent(2, of: 2), heads[1], .received(5, of: 5)])
    }
}
