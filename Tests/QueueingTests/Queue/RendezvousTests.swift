import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct RendezvousTests {
    private let chunks = HTTPBody.stream(
        AsyncStream<Data> { continuation in
            for number in 0..<1000 { continuation.yield(Data("\(number) ".utf8)) }
            continuation.finish()
        }
    ).chunks()

    @Test func `each chunk arrives once and in order`() async throws {
        let channel = Rendezvous()
        async let reading = {
            var all = Data()
            while let chunk = try await channel.next() { all += chunk }
            return all
        }()
        try await channel.produce(chunks)
        channel.finish(nil)
        let expected = (0..<1000).map { "\($0) " }.joined()
        #expect(try await reading == Data(expected.utf8))
    }

    @Test func `a cancelled producer throws, read or not`() async throws {
        for isRead in [false, true] {
            let channel = Rendezvous()
            // Returns nil instead of throwing when it is cancelled, as many sequences do.
            let (endless, continuation) = AsyncStream<Data>.makeStream()
            let asked = Gate()
            let producer = Task {
                asked.open()
                try await channel.produce(HTTPBody.stream(endless).chunks())
            }
            try await asked.wait()
            let consumer = isRead ? Task { try await channel.next() } : nil
            for _ in 0..<10 { await Task.yield() }
            producer.cancel()
            await #expect(throws: CancellationError.self) { try await producer.value }
            channel.finish(TransportError(.cancelled, "It was cancelled."))
            await #expect(throws: TransportError.self) {
                if let consumer { return try await consumer.value }
                return try await channel.next()
            }
            continuation.finish()
        }
    }
}
