import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite("TransferProgress", .needsSlot) struct TransferProgressTests {
    @Test("knows direction, counts and part") func values() throws {
        let sent = try #require(TransferProgress(.sent(1, of: 4)))
        #expect(sent.direction == .upload && sent.completed == 1 && sent.total == 4 && sent.fraction == 0.25)
        let received = try #require(TransferProgress(.received(9, of: nil)))
        #expect(received.direction == .download && received.total == nil && received.fraction == nil)
        #expect(TransferProgress(.received(9, of: 3))?.fraction == 1)
        #expect(TransferProgress(.received(0, of: 0))?.fraction == 1)
        let head = HTTPResponseHead(status: .ok, url: URL(filePath: "/"))
        #expect(TransferProgress(.head(head)) == nil)
    }

    @Test("an observer hands progress on, in order, before what comes after it") func observer() async throws {
        let log = Log<Int64>()
        let queue = DispatchQueue(label: "test")
        let transport = FakeTransport { $0.reply(body: Data(count: 5)) }
        let observer = ProgressObserver(delivery: .queue(queue)) { log.note($0.completed) }
        _ = try await transport.send(HTTPRequest(.post, "http://host/", body: .text("abc")), observer: observer)
        let done = Gate()
        queue.async {
            log.note(-1)
            done.open()
        }
        try await done.wait()
        #expect(log.all == [3, 5, -1])
    }
}
