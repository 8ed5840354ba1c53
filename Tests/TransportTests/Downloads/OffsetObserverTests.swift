import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite("OffsetObserver") struct OffsetObserverTests {
    @Test("counts from the start of the file, if it is a part that comes", arguments: [206, 200])
    func counts(status: Int) throws {
        let log = EventLog()
        let observer = OffsetObserver(log, offset: 100)
        let head = HTTPResponseHead(status: try #require(HTTPStatus(status)), url: echoURL)
        let events: [TransferEvent] = [.sent(1, of: 2), .head(head), .received(3, of: 7), .received(4, of: nil)]
        for event in events { observer.transfer(didReach: event) }
        let part: [TransferEvent] = [.sent(1, of: 2), .head(head), .received(103, of: 107), .received(104, of: nil)]
        #expect(log.events == (status == 206 ? part : events))
    }
}
