import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct HandoverTests {
    private let chunks = HTTPBody.stream(
        AsyncStream<Data> { continuation in
            for number in 0..<1000 { continuation.yield(Data("\(number) ".utf8)) }
            continuation.finish()
        }
    ).chunks()

    @Test func `every chunk comes once and in order`() async throws {
        let handover = Handover()
        async let reading = {
            var all = Data()
            while let chunk = try await handover.next() { all += chunk }
            return all
        }()
        try await handover.serve(chunks)
        handover.end(nil)
        let expected = (0..<1000).map { "\($0) " }.joined()
        #expect(try await reading == Data(expected.utf8))
    }

    @Test func `a worker who is cancelled says so, whether anybody reads or not`() async throws {
        for isRead in [false, true] {
            let handover = Handover()
            // It just ends when it is cancelled, as many do.
            let (endless, continuation) = AsyncStream<Data>.makeStream()
            let asked = Gate()
            let worker = Task {
                asked.open()
                try await handover.serve(HTTPBody.stream(endless).chunks())
            }
            try await asked.wait()
            let reader = isRead ? Task { try await handover.next() } : nil
            for _ in 0..<10 { await Task.yield() }
            worker.cancel()
            await #expect(throws: CancellationError.self) { try await worker.value }
            handover.end(TransportError(.cancelled, "It was cancelled."))
            await #expect(throws: TransportError.self) {
                if let reader { return try await reader.value }
                return try await handover.next()
            }
            continuation.finish()
        }
    }
}
