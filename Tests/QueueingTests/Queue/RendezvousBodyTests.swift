import Foundation
import TestSupport
import Testing

@testable import Queueing

@Suite(.needsSlot) struct RendezvousBodyTests {
    @Test func `releasing an unread body stops it`() async {
        let stop = Promise<Bool>()
        var body: RendezvousBody? = RendezvousBody(Rendezvous(), stop: stop)
        withExtendedLifetime(body) {}
        body = nil
        #expect(await stop.value)
    }

    @Test func `ending the loop stops it`() async throws {
        let stop = Promise<Bool>()
        let channel = Rendezvous()
        channel.finish(nil)
        for try await _ in RendezvousBody(channel, stop: stop) {}
        #expect(await stop.value)
    }

    @Test func `cancelling the reader stops it`() async throws {
        let stop = Promise<Bool>()
        let channel = Rendezvous()
        let body = RendezvousBody(channel, stop: stop)
        let reader = Task {
            let chunks = body.makeAsyncIterator()
            return try await chunks.next()
        }
        reader.cancel()
        #expect(await stop.value)
        channel.finish(nil)
        #expect(try await reader.value == nil)
        withExtendedLifetime(body) {}
    }
}
