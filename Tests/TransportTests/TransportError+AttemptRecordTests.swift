import HTTPMessages
import Testing
import Transport

@Suite struct TransportErrorAttemptRecordTests {
    @Test func `describes the cause and the backoff`() {
        let busy = TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: .seconds(2))
        let broken = TransportError.AttemptRecord(.failure(.connectionLost, "It broke."))
        #expect("\(busy)" == "503 Service Unavailable, retried after 2.0 s")
        #expect("\(broken)" == "It broke. [connectionLost]")
        var error = TransportError(.connectionLost, "It broke.")
        error.attempts = [broken]
        #expect("\(error)" == "It broke. [connectionLost]")
        error.attempts = [busy, broken]
        #expect("\(error)" == "It broke, after 2 attempts with 2.0 s of backoff. [connectionLost]")
    }
}
