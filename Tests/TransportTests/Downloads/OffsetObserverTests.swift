import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct OffsetObserverTests {
    @Test(arguments: [206, 200, 302, 404, 500])
    func `adds the offset to the counts of a part, and drops those of a response without the file`(status: Int) throws {
        let log = EventLog()
        let observer = OffsetObserver(log, offset: 100)
        let head = HTTPResponseHead(status: try #require(HTTPStatus(status)), url: echoURL)
        let events: [TransferEvent] = [
            .sentBytes(1, total: 2), .head(head), .receivedBytes(3, total: 7), .receivedBytes(4, total: nil),
        ]
        for event in events { observer.transfer(didEmit: event) }
        let part: [TransferEvent] = [
            .sentBytes(1, total: 2), .head(head), .receivedBytes(103, total: 107), .receivedBytes(104, total: nil),
        ]
        #expect(log.events == (status == 206 ? part : status == 200 ? events : Array(events.prefix(2))))
    }

    @Test func `a length that is too large for a sum is unknown`() {
        let log = EventLog()
        let observer = OffsetObserver(log, offset: 100)
        observer.transfer(didEmit: .head(HTTPResponseHead(status: .partialContent, url: echoURL)))
        for total in [Int64.max - 100, .max - 99, .max] {
            observer.transfer(didEmit: .receivedBytes(3, total: total))
        }
        #expect(
            log.events.dropFirst() == [
                .receivedBytes(103, total: .max), .receivedBytes(103, total: nil), .receivedBytes(103, total: nil),
            ])
    }
}
