import HTTPMessages
import Testing
import Transport

@Suite struct TransportErrorAttemptTests {
    @Test func `says how it ended and what came then`() {
        let busy = TransportError.Attempt(.status(.serviceUnavailable), delay: .seconds(2))
        let broken = TransportError.Attempt(.failure(.connectionLost, "It broke."))
        #expect("\(busy)" == "503 Service Unavailable, then a wait of 2.0 seconds")
        #expect("\(broken)" == "It broke. [connectionLost]")
        var error = TransportError(.connectionLost, "It broke.")
        error.attempts = [broken]
        #expect("\(error)" == "It broke. [connectionLost]")
        error.attempts = [busy, broken]
        #expect("\(error)" == "It broke. [connectionLost] after 2 attempts: \(busy); \(broken)")
    }
}
