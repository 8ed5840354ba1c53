import Foundation
import TestSupport
import Testing

@testable import Queueing

@Suite(.needsSlot) struct HandedBodyTests {
    @Test func `who drops it unread stops it`() async {
        let stop = Signal<Bool>()
        var body: HandedBody? = HandedBody(Handover(), stop: stop)
        withExtendedLifetime(body) {}
        body = nil
        #expect(await stop.value)
    }

    @Test func `who stops reading stops it`() async throws {
        let stop = Signal<Bool>()
        let handover = Handover()
        handover.end(nil)
        for try await _ in HandedBody(handover, stop: stop) {}
        #expect(await stop.value)
    }

    @Test func `a reader who is cancelled stops it`() async throws {
        let stop = Signal<Bool>()
        let handover = Handover()
        let body = HandedBody(handover, stop: stop)
        let reader = Task {
            let chunks = body.makeAsyncIterator()
            return try await chunks.next()
        }
        reader.cancel()
        #expect(await stop.value)
        handover.end(nil)
        #expect(try await reader.value == nil)
        withExtendedLifetime(body) {}
    }
}
