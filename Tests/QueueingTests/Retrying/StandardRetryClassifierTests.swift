import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct StandardRetryClassifierTests {
    /// The codes that are retryable for a `GET`, and for a `POST`.
    private static let failures: [(TransportError.Code, get: Bool, post: Bool)] = [
        (.connectionRefused, true, true), (.hostNotFound, true, true),
        (.unreachable, true, false), (.timedOut, true, false), (.connectionLost, true, false),
        (.truncated, true, false), (.tls, true, false), (.proxy, true, false), (.unknown, true, false),
        (.malformedResponse, false, false), (.undecodableContent, false, false), (.responseTooLarge, false, false),
        (.cancelled, false, false), (.unreadableBody, false, false), (.temporaryStorage, false, false),
        (.reservedField, false, false),
        (.tooManyRedirects, false, false), (.redirectRefused, false, false), (.unsupported, false, false),
    ]

    @Test(arguments: failures) func `transient failures that are safe to retry`(
        code: TransportError.Code, get: Bool, post: Bool
    ) throws {
        for method in [HTTPMethod.get, .head, .options, .query, .put, .delete, .post, .patch] {
            let request = try request(method)
            let attempt = finished(request, TransportError(code, "x", request: request))
            let isWorthIt = StandardRetryClassifier.standard.isRetryable(attempt)
            #expect(isWorthIt == (method.isIdempotent ? get : post), "\(method) \(code)")
        }
    }

    @Test func `every code is in the table`() throws {
        let names = try namesOfTransportCodes()
        #expect(names.count > 15 && Set(Self.failures.map(\.0.description)) == names)
        #expect(Set(transportCodes.map(\.description)) == names)
    }

    @Test(arguments: [
        (408, true, false), (429, true, true), (500, false, false), (501, false, false), (502, true, false),
        (503, true, false), (504, true, false), (400, false, false), (404, false, false), (304, false, false),
    ])
    func `transient statuses that are safe to retry`(code: Int, get: Bool, post: Bool) throws {
        let status = try #require(HTTPStatus(code))
        #expect(try StandardRetryClassifier().isRetryable(finished(request(.get), status)) == get)
        #expect(try StandardRetryClassifier().isRetryable(finished(request(.post), status)) == post)
    }

    @Test func `a key makes a POST idempotent`() throws {
        let request = try request(.post, fields: ["idempotency-key": "1"])
        #expect(request.isIdempotent)
        #expect(try StandardRetryClassifier().isRetryable(finished(request, .badGateway)))
        #expect(StandardRetryClassifier().isRetryable(finished(request, TransportError(.connectionLost, "x"))))
    }

    @Test func `the total timeout and bad certificates are not transient`() throws {
        let request = try request()
        func isWorthIt(_ error: TransportError) -> Bool {
            StandardRetryClassifier().isRetryable(finished(request, error))
        }
        #expect(!isWorthIt(TransportError(.timedOut, "x", phase: .total)))
        #expect(isWorthIt(TransportError(.timedOut, "x", phase: .response)))
        #expect(isWorthIt(TransportError(.timedOut, "x", phase: .idle)))
        #expect(isWorthIt(TransportError(.tls, "x", tlsFailure: .handshake)))
        for failure in [TransportError.TLSFailure.untrustedCertificate, .hostMismatch, .expiredCertificate] {
            #expect(!isWorthIt(TransportError(.tls, "x", tlsFailure: failure)))
        }
    }

    @Test func `an open circuit is retried only with waitsForOpenCircuits`() throws {
        for method in [HTTPMethod.get, .post] {
            for code in admissionCodes {
                let attempt = finished(try request(method), AdmissionError(code, "x"))
                #expect(!StandardRetryClassifier().isRetryable(attempt))
                let isRetryable = StandardRetryClassifier.standard(waitsForOpenCircuits: true).isRetryable(attempt)
                #expect(isRetryable == (code == .circuitOpen))
            }
        }
    }

    @Test func `statuses can be chosen`() throws {
        let classifier: StandardRetryClassifier = .standard(statuses: [.internalServerError])
        #expect(try classifier.isRetryable(finished(request(), .internalServerError)))
        #expect(try !classifier.isRetryable(finished(request(), .serviceUnavailable)))
        #expect(try !classifier.isRetryable(finished(request(.post), .internalServerError)))
    }
}
