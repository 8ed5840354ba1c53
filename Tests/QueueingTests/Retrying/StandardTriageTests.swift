import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct StandardTriageTests {
    /// Which codes are worth repeating for a `GET`, and for a `POST`.
    private static let failures: [(TransportError.Code, get: Bool, post: Bool)] = [
        (.connectionRefused, true, true), (.hostNotFound, true, true), (.circuitOpen, false, false),
        (.unreachable, true, false), (.timedOut, true, false), (.connectionLost, true, false),
        (.truncated, true, false), (.tls, true, false), (.proxy, true, false), (.unknown, true, false),
        (.malformedResponse, false, false), (.undecodableContent, false, false), (.responseTooLarge, false, false),
        (.cancelled, false, false), (.unreadableBody, false, false), (.temporaryStorage, false, false),
        (.reservedField, false, false),
        (.tooManyRedirects, false, false), (.redirectRefused, false, false), (.unsupported, false, false),
    ]

    @Test(arguments: failures) func `failures that pass, and do no harm`(
        code: TransportError.Code, get: Bool, post: Bool
    ) throws {
        for method in [HTTPMethod.get, .head, .options, .put, .delete, .post, .patch] {
            let request = try request(method)
            let attempt = ended(request, TransportError(code, "x", request: request))
            let isWorthIt = StandardTriage.standard.isWorthRepeating(attempt)
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
    func `statuses that pass, and do no harm`(code: Int, get: Bool, post: Bool) throws {
        let status = try #require(HTTPStatus(code))
        #expect(try StandardTriage().isWorthRepeating(ended(request(.get), status)) == get)
        #expect(try StandardTriage().isWorthRepeating(ended(request(.post), status)) == post)
    }

    @Test func `a key makes a POST idempotent`() throws {
        let request = try request(.post, fields: ["idempotency-key": "1"])
        #expect(request.isIdempotent)
        #expect(try StandardTriage().isWorthRepeating(ended(request, .badGateway)))
        #expect(StandardTriage().isWorthRepeating(ended(request, TransportError(.connectionLost, "x"))))
    }

    @Test func `the deadline of the whole request and bad certificates do not pass`() throws {
        let request = try request()
        func isWorthIt(_ error: TransportError) -> Bool { StandardTriage().isWorthRepeating(ended(request, error)) }
        #expect(!isWorthIt(TransportError(.timedOut, "x", phase: .total)))
        #expect(isWorthIt(TransportError(.timedOut, "x", phase: .response)))
        #expect(isWorthIt(TransportError(.timedOut, "x", phase: .idle)))
        #expect(isWorthIt(TransportError(.tls, "x", tlsFailure: .handshake)))
        for failure in [TransportError.TLSFailure.untrustedCertificate, .hostMismatch, .expiredCertificate] {
            #expect(!isWorthIt(TransportError(.tls, "x", tlsFailure: failure)))
        }
    }

    @Test func `an open circuit is waited for only when told`() throws {
        for method in [HTTPMethod.get, .post] {
            let attempt = ended(try request(method), TransportError(.circuitOpen, "x"))
            #expect(!StandardTriage().isWorthRepeating(attempt))
            #expect(StandardTriage.standard(waitsForOpenCircuits: true).isWorthRepeating(attempt))
        }
    }

    @Test func `other statuses may be named`() throws {
        let triage: StandardTriage = .standard(statuses: [.internalServerError])
        #expect(try triage.isWorthRepeating(ended(request(), .internalServerError)))
        #expect(try !triage.isWorthRepeating(ended(request(), .serviceUnavailable)))
        #expect(try !triage.isWorthRepeating(ended(request(.post), .internalServerError)))
    }
}
