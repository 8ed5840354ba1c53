import Foundation
import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct CircuitPolicyTests {
    @Test func `the defaults`() {
        let policy = CircuitPolicy()
        #expect(policy.threshold == .ratio(0.5, failures: 5, within: .seconds(10)))
        #expect(policy.openDuration == .seconds(30) && policy.halfOpenCalls == 1)
        #expect(CircuitPolicy.Threshold.failures(3, within: .seconds(1)).ratio == 0)
    }

    @Test(arguments: [(200, false), (404, false), (429, false), (500, true), (503, true)])
    func `statuses that count as server failures`(code: Int, isFailure: Bool) throws {
        let head = HTTPResponseHead(status: try #require(HTTPStatus(code)), url: try URL(httpString: "http://h/"))
        #expect(CircuitPolicy.isServerFailure(.response(head)) == isFailure)
    }

    @Test(arguments: transportCodes) func `errors that count as server failures`(code: TransportError.Code) {
        let others: [TransportError.Code] = [
            .malformedResponse, .undecodableContent, .responseTooLarge, .cancelled, .unreadableBody,
            .temporaryStorage, .reservedField, .tooManyRedirects, .redirectRefused, .unsupported,
        ]
        #expect(CircuitPolicy.isServerFailure(.failure(TransportError(code, "x"))) == !others.contains(code))
        let late = TransportError(.timedOut, "x", phase: .total)
        #expect(CircuitPolicy.isServerFailure(.failure(late)))
        for code in admissionCodes { #expect(!CircuitPolicy.isServerFailure(.rejection(AdmissionError(code, "x")))) }
    }

    @Test func `a timeout in the engine's own queue is no failure of the server, and nothing was processed`() throws {
        let request = try HTTPRequest(.post, "http://h/")
        for phase in [Timeouts.Phase.queue, .connect, .send, .response, .idle, .total] {
            let error = TransportError.timedOut(phase, "x", request: request)
            #expect(CircuitPolicy.isServerFailure(.failure(error)) == (phase != .queue))
            #expect(AttemptResult(request, outcome: .failure(error)).isKnownUnprocessed == (phase == .queue))
        }
    }
}
