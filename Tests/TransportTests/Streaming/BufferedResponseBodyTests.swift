import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct BufferedResponseBodyTests {
    @Test(arguments: [0, 1, 16 << 10, 40_000]) func `delivers chunks with their events`(count: Int) async throws {
        let log = EventLog()
        let source = bytes(count)
        let body = BufferedResponseBody(source.dropFirst(0), of: try HTTPRequest(.get, "http://host/"), observer: log)
        var all = Data()
        for try await piece in body {
            all += piece
            #expect(log.events.last == .receivedBytes(Int64(all.count), total: Int64(count)))
        }
        #expect(all == source && log.events.count == (count + (16 << 10) - 1) / (16 << 10))
    }

    @Test func `a cancelled reader gets an error`() async throws {
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            var iterator = BufferedResponseBody(Data([1]), of: try HTTPRequest(.get, "http://host/"), observer: nil)
                .makeAsyncIterator()
            return try await iterator.next()
        }
        task.cancel()
        #expect(try await transportError { try await task.value }.code == .cancelled)
    }
}
