import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct ProgressObserverDeliveryTests {
    @Test func `an observer delivers progress in order, before the completion`() async throws {
        let log = Log<Int64>()
        let queue = DispatchQueue(label: "test")
        let transport = FakeTransport { $0.response(body: Data(count: 5)) }
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
