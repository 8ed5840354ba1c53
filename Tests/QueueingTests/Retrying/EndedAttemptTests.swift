import Foundation
import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct EndedAttemptTests {
    @Test func `knows its parts`() throws {
        let answered = try ended(request(), .notFound, earlier: earlier(.seconds(1), .seconds(2)))
        #expect(answered.number == 3 && answered.status == .notFound && answered.error == nil)
        let failed = ended(try request(), TransportError(.unknown, "x"))
        #expect(failed.number == 1 && failed.status == nil && failed.error?.code == .unknown)
    }

    @Test(arguments: transportCodes) func `only some failures show that nothing was done`(
        code: TransportError.Code
    ) throws {
        let request = try request(.post)
        let shows = [TransportError.Code.connectionRefused, .hostNotFound, .circuitOpen].contains(code)
        #expect(ended(request, TransportError(code, "x", request: request)).showsNothingWasDone == shows)
    }

    @Test func `a failure after a redirect shows nothing`() throws {
        let sent = try request(.post, "http://h/form")
        let followed = try request(.get, "http://h/form")
        #expect(!ended(sent, TransportError(.connectionRefused, "x", request: followed)).showsNothingWasDone)
    }

    @Test func `a failure after attempts of somebody else's shows what all of them show`() throws {
        let request = try request(.post)
        var error = TransportError(.connectionRefused, "x", request: request)
        error.attempts = [.init(.failure(.hostNotFound, "x")), .init(.failure(.connectionRefused, "x"))]
        #expect(ended(request, error).showsNothingWasDone)
        error.attempts[0] = .init(.failure(.connectionLost, "x"))
        #expect(!ended(request, error).showsNothingWasDone)
        error.attempts[0] = .init(.status(.tooManyRequests))
        #expect(!ended(request, error).showsNothingWasDone)
    }

    @Test(arguments: [(429, true, true), (503, false, true), (502, false, false), (408, false, false)])
    func `some statuses show that nothing was done`(code: Int, alone: Bool, withRetryAfter: Bool) throws {
        let (request, status) = (try request(.post), try #require(HTTPStatus(code)))
        #expect(try ended(request, status).showsNothingWasDone == alone)
        #expect(try ended(request, status, fields: ["Retry-After": "1"]).showsNothingWasDone == withRetryAfter)
        var head = HTTPResponseHead(status: status, url: request.url)
        head.redirects = [HTTPResponseHead(status: .seeOther, url: request.url)]
        #expect(!EndedAttempt(request, outcome: .response(head)).showsNothingWasDone)
    }
}
