import Coordination
import Foundation
import TestSupport
import Testing

@testable import Queueing

@Suite(.needsSlot) struct ChannelBodyTests {
    @Test func `releasing an unread body stops it`() async {
        let stop = Promise<Bool>()
        var body: ChannelBody? = ChannelBody(Channel<Data>(capacity: 0), stop: stop)
        withExtendedLifetime(body) {}
        body = nil
        #expect(await stop.value)
    }

    @Test func `ending the loop stops it`() async throws {
        let stop = Promise<Bool>()
        let channel = Channel<Data>(capacity: 0)
        channel.finish()
        for try await _ in ChannelBody(channel, stop: stop) {}
        #expect(await stop.value)
    }

    @Test func `cancelling the reader stops it`() async throws {
        let stop = Promise<Bool>()
        let channel = Channel<Data>(capacity: 0)
        let body = ChannelBody(channel, stop: stop)
        let reader = Task {
            let chunks = body.makeAsyncIterator()
            return try await chunks.next()
        }
        reader.cancel()
        #expect(await stop.value)
        channel.finish()
        #expect(try await reader.value == nil)
        withExtendedLifetime(body) {}
    }
}
