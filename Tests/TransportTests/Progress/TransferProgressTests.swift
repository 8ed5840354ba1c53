import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct TransferProgressTests {
    @Test func `has direction, counts and fraction`() throws {
        let sent = try #require(TransferProgress(.sentBytes(1, total: 4)))
        #expect(sent.direction == .upload && sent.completed == 1 && sent.total == 4 && sent.fraction == 0.25)
        let received = try #require(TransferProgress(.receivedBytes(9, total: nil)))
        #expect(received.direction == .download && received.total == nil && received.fraction == nil)
        #expect(TransferProgress(.receivedBytes(9, total: 3))?.fraction == 1)
        #expect(TransferProgress(.receivedBytes(0, total: 0))?.fraction == 1)
        let head = HTTPResponseHead(status: .ok, url: URL(filePath: "/"))
        #expect(TransferProgress(.head(head)) == nil)
    }

    @Test func `an observer calls its closure with the progress`() async throws {
        let seen = Watched<[Int64]>([])
        let transport = FakeTransport { $0.response(body: Data(count: 5)) }
        _ = try await transport.send(
            HTTPRequest(.post, "http://host/", body: .text("abc")),
            observer: .progress { progress in seen.update { $0.append(progress.completed) } })
        #expect(seen.value == [3, 5])
    }
}
