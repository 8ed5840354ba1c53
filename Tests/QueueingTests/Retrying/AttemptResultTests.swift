import Foundation
import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct AttemptResultTests {
    @Test func `has the parts of the outcome`() throws {
        let finishedAttempt = try finished(
            request(), .notFound, previousAttempts: records(backoffs: .seconds(1), .seconds(2)))
        #expect(finishedAttempt.number == 3 && finishedAttempt.status == .notFound && finishedAttempt.error == nil)
        let failed = finished(try request(), TransportError(.unknown, "x"))
        #expect(failed.number == 1 && failed.status == nil && failed.error?.code == .unknown)
        let rejected = finished(try request(), AdmissionError(.circuitOpen, "x"))
        #expect(rejected.rejection?.code == .circuitOpen && rejected.error == nil && failed.rejection == nil)
    }

    @Test(arguments: transportCodes) func `some failures are known to be unprocessed`(
        code: TransportError.Code
    ) throws {
        let request = try request(.post)
        let shows = [TransportError.Code.connectionRefused, .hostNotFound].contains(code)
        #expect(finished(request, TransportError(code, "x", request: request)).isKnownUnprocessed == shows)
    }

    @Test(arguments: admissionCodes) func `a rejected request is unprocessed, unless the server responded`(
        code: AdmissionError.Code
    ) throws {
        let (request, other) = (try request(.post), try request(.get, "http://other/"))
        #expect(finished(request, AdmissionError(code, "x", request: request)).isKnownUnprocessed)
        let head = HTTPResponseHead(status: .serviceUnavailable, url: request.url)
        #expect(!finished(request, AdmissionError(code, "x", request: request, head: head)).isKnownUnprocessed)
        #expect(!finished(request, AdmissionError(code, "x", request: other)).isKnownUnprocessed)
        var error = AdmissionError(code, "x")
        error.attempts = [.init(.failure(.connectionRefused, "x")), .init(.notSent("x"))]
        #expect(finished(request, error).isKnownUnprocessed)
        error.attempts[0] = .init(.failure(.connectionLost, "x"))
        #expect(!finished(request, error).isKnownUnprocessed)
    }

    @Test func `a failure after a redirect is not known to be unprocessed`() throws {
        let sent = try request(.post, "http://h/form")
        let followed = try request(.get, "http://h/form")
        #expect(!finished(sent, TransportError(.connectionRefused, "x", request: followed)).isKnownUnprocessed)
    }

    @Test func `a failure at another host is one of the request that was sent there, unless a redirect led to it`()
        throws
    {
        let (call, inner) = (try request(.post, "http://a/"), try request(.post, "http://b/"))
        let attempt = try request(.post, "http://c/")
        // An error of the attempt, of the target of a redirect, and one that names no request.
        for (failed, isUnprocessed) in [(attempt, true), (call, false), (nil, true)] as [(HTTPRequest?, Bool)] {
            let error = TransportError(.connectionRefused, "x", request: failed)
            let moved = try #require(error.ofRequest(inner, sentAs: attempt) as? TransportError)
            #expect(finished(inner, moved).isKnownUnprocessed == isUnprocessed)
            #expect(!finished(call, moved).isKnownUnprocessed)
            let movedTwice = try #require(moved.ofRequest(call, sentAs: inner) as? TransportError)
            #expect(finished(call, movedTwice).isKnownUnprocessed == isUnprocessed)
        }
    }

    @Test func `a failure of a request whose URL a layer has changed is one of the request of its call`() async throws {
        let request = try request(.post, "http://a/")
        let transport = FakeTransport { throw TransportError(.connectionRefused, "x", request: $0) }
            .modifyingRequests { try $0.setURL("http://b/") }
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(finished(request, try #require(error)).isKnownUnprocessed)
    }

    @Test func `a failure with several attempts is unprocessed if all of them are`() throws {
        let request = try request(.post)
        var error = TransportError(.connectionRefused, "x", request: request)
        error.attempts = [.init(.failure(.hostNotFound, "x")), .init(.failure(.connectionRefused, "x"))]
        #expect(finished(request, error).isKnownUnprocessed)
        error.attempts[0] = .init(.failure(.connectionLost, "x"))
        #expect(!finished(request, error).isKnownUnprocessed)
        error.attempts[0] = .init(.status(.tooManyRequests))
        #expect(!finished(request, error).isKnownUnprocessed)
    }

    @Test(arguments: [(429, true, true), (503, false, true), (502, false, false), (408, false, false)])
    func `some statuses are known to be unprocessed`(code: Int, alone: Bool, withRetryAfter: Bool) throws {
        let (request, status) = (try request(.post), try #require(HTTPStatus(code)))
        #expect(try finished(request, status).isKnownUnprocessed == alone)
        #expect(try finished(request, status, fields: ["Retry-After": "1"]).isKnownUnprocessed == withRetryAfter)
        var head = HTTPResponseHead(status: status, url: request.url)
        head.redirects = [HTTPResponseHead(status: .seeOther, url: request.url)]
        #expect(!AttemptResult(request, outcome: .response(head)).isKnownUnprocessed)
    }
}
