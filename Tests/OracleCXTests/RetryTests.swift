import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RetryTests {
    @Test(arguments: [(0, 1), (1, 2), (15, 16), (-1, 1), (16, 16)])
    func `a failing server receives 1 + retryCount attempts`(retryCount: Int, attempts: Int) async throws {
        try await LoopbackServer { $0.response(.internalServerError, text: "still down") }.stopping { server in
            let manager = HTTPManager(
                transport: TestTransport.withoutDeadlines, backoff: .exponential(base: .zero, cap: .zero),
                settings: .empty, lifecycle: ORAManualLifecycle())
            manager.delivery = .inline
            let request = ORARequest(url: "http://127.0.0.1:\(server.port)/x")
            request.payload = ["a": 1]
            request.retryCount = retryCount
            let response = await manager.response(to: request)
            #expect(server.requestCount == attempts)
            #expect(response.httpResponse?.status == .internalServerError && response.error == nil)
            #expect(response.data == Data("still down".utf8))
            // Each attempt of a POST sends the complete body.
            #expect(server.requests.allSatisfy { $0.method == "POST" && $0.body == Data(#"{"a":1}"#.utf8) })
        }
    }

    static let last: [(ScriptedTransport.Step, Int)] = [
        (.status(.ok), 1), (.status(.created), 1), (.status(.notModified), 1), (.status(.badRequest), 1),
        (.status(.notFound), 1), (.status(.tooManyRequests), 1), (.status(.internalServerError), 4),
        (.status(.badGateway), 4), (.status(.serviceUnavailable), 4), (.failure(.connectionLost), 4),
        (.failure(.connectionRefused), 4), (.failure(.unreachable), 4), (.failure(.timedOut), 4),
        (.failure(.hostNotFound), 4), (.failure(.responseTooLarge), 1), (.failure(.reservedField), 1),
        (.failure(.unsupported), 1), (.failure(.cancelled), 1), (.failure(CocoaError(.featureUnsupported)), 1),
    ]

    @Test(arguments: [POST, GET])
    func `only network and server errors are retried`(type: ORARequestType) async throws {
        for (index, (step, attempts)) in Self.last.enumerated() {
            let fixture = try Fixture(ScriptedTransport([], then: step))
            let request = ORARequest(url: "http://oracle.test/")
            request.requestType = type
            request.retryCount = 3
            let response = await fixture.manager.response(to: request)
            #expect(fixture.transport.requests.count == attempts, "row \(index): \(response)")
        }
    }

    @Test func `a 4xx whose body is cut is not sent again`() async throws {
        try await LoopbackServer(script: { _ in
            [.send("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nshort"), .close]
        }).stopping(after: { server in
            let manager = HTTPManager(
                transport: TestTransport.withoutDeadlines, backoff: .exponential(base: .zero, cap: .zero),
                settings: .empty, lifecycle: ORAManualLifecycle())
            manager.delivery = .inline
            let request = ORARequest(url: "http://127.0.0.1:\(server.port)/x")
            request.retryCount = 3
            #expect(await manager.response(to: request).error != nil)
            #expect(server.requestCount == 1)
        })
    }

    @Test(arguments: [(.badGateway, 4), (.notFound, 1), (.ok, 1)] as [(HTTPStatus, Int)])
    func `a 5xx is retried also if its body cannot be decoded`(status: HTTPStatus, attempts: Int) async throws {
        for code in [TransportError.Code.undecodableContent, .malformedResponse] {
            let unreadable = ScriptedTransport.Step {
                throw TransportError(code, "Not gzip", request: $0, head: $0.response(status).head)
            }
            let fixture = try Fixture(ScriptedTransport([], then: unreadable))
            let request = ORARequest(url: "http://oracle.test/")
            request.retryCount = 3
            #expect(await fixture.manager.response(to: request).error != nil)
            #expect(fixture.sent.count == attempts, "\(code)")
        }
    }

    @Test func `a success or a 4xx ends the retries`() async throws {
        for (steps, status) in [
            ([.failure(.connectionLost), .status(.serviceUnavailable), .text("done")], HTTPStatus.ok),
            ([.failure(.connectionLost), .status(.notFound), .text("never")], .notFound),
        ] as [([ScriptedTransport.Step], HTTPStatus)] {
            let fixture = try Fixture(ScriptedTransport(steps))
            let request = ORARequest(url: "http://oracle.test/")
            request.retryCount = 5
            let response = await fixture.manager.response(to: request)
            #expect(response.httpResponse?.status == status && response.error == nil)
        }
    }

    @Test func `the last attempt's error has the number of attempts and URLSession's code`() async throws {
        let fixture = try Fixture(ScriptedTransport([.status(.badGateway)], then: .failure(.timedOut)))
        let response = await fixture.manager.response(to: ORARequest(url: "http://oracle.test/?token=hush"))
        let error = try #require(response.error as? ORAError)
        #expect(response.response == nil && response.data == nil)
        #expect((error as NSError).code == NSURLErrorTimedOut)
        #expect((error.underlying as? TransportError)?.attempts.count == 2)
        #expect(
            error.description
                == "POST http://oracle.test/?token=<redacted>: The script fails here, after 2 attempts with 0.0 s of backoff. [transport]"
        )
    }

    @Test
    func `a retry waits for its backoff while other requests run`() async throws {
        let fixture = try Fixture(
            ScriptedTransport([.status(.serviceUnavailable), .status(.ok)], then: .status(.created)),
            backoff: .exponential(base: .seconds(4), cap: .seconds(8)))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("first", into: ledger)
        fixture.add("second", into: ledger)
        try await fixture.clock.waitForSleepers(1)
        let wait = try #require(fixture.clock.nextDeadline).offset
        #expect(wait <= .seconds(4))
        try await fixture.transport.requests(count: 2)
        #expect(fixture.sent == ["first", "second"])
        await fixture.clock.advance(by: wait)
        let ends = try await ledger.waitForAll()
        #expect(ends.map(\.response?.httpResponse?.status) == [.created, .ok])
        #expect(fixture.sent == ["first", "second", "first"])
    }

    @Test
    func `a retry is queued after waiting requests of its priority and before lower ones`() async throws {
        let gate = Gate()
        let fixture = try Fixture(
            ScriptedTransport([.after(gate, .status(.badGateway))], then: .status(.ok)),
            backoff: .exponential(base: .seconds(1), cap: .seconds(1)))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("urgent", Immediate, into: ledger)
        try await gate.waitForWaiters(1)
        fixture.manager.queue.pause()
        gate.open()
        try await fixture.waitForRetry()
        #expect(fixture.manager.queue.runningCount == 0)
        fixture.add("normal", into: ledger)
        fixture.add("urgent too", Immediate, into: ledger)
        try await fixture.waitForQueued(3)
        fixture.manager.queue.resume()
        try await ledger.waitForAll()
        #expect(fixture.sent == ["urgent", "urgent", "urgent too", "normal"])
    }

    @Test(arguments: [0, 1, 3])
    func `each attempt follows all redirects, and there are 1 + retryCount attempts`(retryCount: Int) async throws {
        let fixture = try Fixture(
            ScriptedTransport { request in
                guard request.url.path() == "/start" else { return request.response(.badGateway) }
                return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "/end"]))
            })
        let request = ORARequest(url: "http://oracle.test/start")
        request.retryCount = retryCount
        let response = await fixture.manager.response(to: request)
        #expect(response.httpResponse?.status == .badGateway)
        let attempt = ["/start", "/end"]
        #expect(fixture.transport.requests.map { $0.url.path() } == (0...retryCount).flatMap { _ in attempt })
    }

    @Test(arguments: [("7", 7), ("60", 60)])
    func `Retry-After delays the retry`(asked: String, kept: Int) async throws {
        let step = ScriptedTransport.Step {
            $0.response(.serviceUnavailable, fields: try HTTPFields(["Retry-After": asked]))
        }
        let fixture = try Fixture(ScriptedTransport([step], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("first", into: ledger)
        try await fixture.clock.waitForSleepers(1)
        #expect(fixture.clock.nextDeadline?.offset == .seconds(kept))
        await fixture.clock.advance(by: .seconds(kept))
        try await ledger.waitForAll()
    }

    @Test
    func `a Retry-After of 0 does not shorten the backoff`() async throws {
        // 15 retries with full jitter, none without backoff.
        let fixture = try Fixture(
            ScriptedTransport([], then: Self.busy("0")), backoff: .exponential(base: .seconds(4), cap: .seconds(4)))
        let request = ORARequest(url: "http://oracle.test/")
        request.retryCount = 15
        let response = await fixture.clock.autoAdvancing { await fixture.manager.response(to: request) }
        #expect(response.statusCode == 503 && fixture.sent.count == 16)
        #expect(fixture.clock.now.offset > .seconds(4) && fixture.clock.now.offset < .seconds(60))
    }

    @Test func `by default the backoff is up to 0.5, 1, 2, 4 and then 8 seconds, and Retry-After up to 60`()
        async throws
    {
        let clock = ManualClock()
        let transport = ScriptedTransport([.status(.badGateway)], then: .status(.badGateway))
        let manager = HTTPManager(
            transport: transport, settings: .empty, lifecycle: ORAManualLifecycle(), clock: clock)
        manager.delivery = .inline
        let request = ORARequest(url: "http://oracle.test/")
        request.retryCount = 15
        async let response = manager.response(to: request)
        for limit in [0.5, 1, 2, 4] + [Double](repeating: 8, count: 11) {
            try await clock.waitForSleepers(1)
            let wait = try #require(clock.nextDeadline).offset - clock.now.offset
            #expect(wait > .zero && wait <= .seconds(limit))
            await clock.advanceToNextDeadline()
        }
        #expect(await response.statusCode == 502 && clock.now.offset > .seconds(1))
        for (asked, attempts) in [("60", 2), ("61", 1)] {
            let transport = ScriptedTransport([], then: Self.busy(asked))
            let manager = HTTPManager(
                transport: transport, settings: .empty, lifecycle: ORAManualLifecycle(), clock: clock)
            manager.delivery = .inline
            let end = await clock.autoAdvancing { await manager.response(to: ORARequest(url: "http://oracle.test/")) }
            #expect(end.statusCode == 503 && transport.requests.count == attempts)
        }
    }

    private static func busy(_ retryAfter: String) -> ScriptedTransport.Step {
        ScriptedTransport.Step {
            $0.response(
                .serviceUnavailable, fields: try HTTPFields(["Retry-After": retryAfter]), text: "closed until noon")
        }
    }

    @Test(arguments: [60, 5])
    func `a Retry-After above the limit is not waited for, and its response is the last one`(limit: Int) async throws {
        let fixture = try Fixture(
            ScriptedTransport([.failure(.connectionLost)], then: Self.busy("3600")),
            maximumRetryAfter: .seconds(limit))
        let request = ORARequest(url: "http://oracle.test/x")
        request.retryCount = 3
        let response = await fixture.manager.response(to: request)
        #expect(fixture.sent.count == 2 && response.error == nil && response.statusCode == 503)
        #expect(response.data == Data("closed until noon".utf8))
        // As that of a request without retries.
        request.retryCount = 0
        #expect(await fixture.manager.response(to: request).statusCode == 503)
    }

    @Test func `a request in backoff can be cancelled`() async throws {
        let fixture = try Fixture(
            ScriptedTransport([.failure(.connectionLost)], then: .status(.ok)),
            backoff: .exponential(base: .seconds(4), cap: .seconds(8)))
        let ledger = CompletionLedger<ORAResponse>()
        let call = fixture.add("first", into: ledger)
        try await fixture.clock.waitForSleepers(1)
        call.cancel()
        let ends = try await ledger.waitForAll()
        #expect((ends[0].response?.error as? ORAError)?.code == .cancelled)
        #expect(fixture.sent == ["first"])
    }
}
