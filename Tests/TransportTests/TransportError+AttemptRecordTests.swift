import HTTPMessages
import Testing
import Transport

@Suite struct TransportErrorAttemptRecordTests {
    @Test func `describes the cause and the backoff`() {
        let busy = TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: .seconds(2))
        let broken = TransportError.AttemptRecord(.failure(.connectionLost, "It broke."))
        #expect("\(busy)" == "503 Service Unavailable, retried after 2.0 s")
        #expect("\(broken)" == "It broke. [connectionLost]")
        let unsent = TransportError.AttemptRecord(.notSent("It is closed. [closed]"), backoff: .seconds(1))
        #expect("\(unsent)" == "It is closed. [closed], retried after 1.0 s")
        var error = TransportError(.connectionLost, "It broke.")
        error.attempts = [broken]
        #expect("\(error)" == "It broke. [connectionLost]")
        error.attempts = [busy, broken]
        #expect("\(error)" == "It broke, after 2 attempts with 2.0 s of backoff. [connectionLost]")
    }
}
