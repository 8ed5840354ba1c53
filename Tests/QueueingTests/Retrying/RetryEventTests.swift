import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct RetryEventTests {
    private struct Other: LayerEvent {
        let description = "other"
    }

    @Test func `an observer reads the attempt in one line`() throws {
        let attempt = TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: .seconds(1))
        let event = TransferEvent.layer(RetryEvent(after: attempt))
        #expect(event.retriedAttempt == attempt)
        #expect("\(RetryEvent(after: attempt))" == "503 Service Unavailable, retried after 1.0 s")
        #expect(TransferEvent.layer(Other()).retriedAttempt == nil)
        #expect(TransferEvent.sentBytes(1, total: nil).retriedAttempt == nil)
    }
}
