import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite("Oracle 5: repetitions", .needsSlot) struct RetryTests {
    @Test("a server that fails sees so many tries", arguments: [(0, 1), (1, 2), (15, 16), (-1, 1), (16, 16)])
    func triesOfServerFailures(retryCount: Int, tries: Int) async throws {
        try await LoopbackServer { $0.reply(.internalServerError, text: "still down") }.stopping { server in
            let manager = HTTPManager(
                transport: URLSessionTransport.withoutDeadlines, backoff: .exponential(base: .zero, cap: .zero),
                lifecycle: ORAManualLifecycle())
            manager.delivery = .inline
            let request = ORARequest(url: "http://127.0.0.1:\(server.port)/x")
            request.payload = ["a": 1]
            request.retryCount = retryCount
            let response = await manager.response(to: request)
            #expect(server.requestCount == tries)
            #expect(response.httpResponse?.status == .internalServerError && response.error == nil)
            #expect(response.data == Data("still down".utf8))
            // A POST goes out each time with its whole body.
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

    @Test("failures of network and server are repeated, nothing else is", arguments: [POST, GET])
    func whatIsRepeated(type: ORARequestType) async throws {
        for (index, (step, tries)) in Self.last.enumerated() {
            let bench = try Bench(ScriptedTransport([], then: step))
            let request = ORARequest(url: "http://oracle.test/")
            request.requestType = type
            request.retryCount = 3
            let response = await bench.manager.response(to: request)
            #expect(bench.transport.requests.count == tries, "row \(index): \(response)")
        }
    }

    @Test("an answer ends the repetitions, and an answered 4xx does") func recovery() async throws {
        for (steps, status) in [
            ([.failure(.connectionLost), .status(.serviceUnavailable), .text("done")], HTTPStatus.ok),
            ([.failure(.connectionLost), .status(.notFound), .text("never")], .notFound),
        ] as [([ScriptedTransport.Step], HTTPStatus)] {
            let bench = try Bench(ScriptedTransport(steps))
            let request = ORARequest(url: "http://oracle.test/")
            request.retryCount = 5
            let response = await bench.manager.response(to: request)
            #expect(response.httpResponse?.status == status && response.error == nil)
        }
    }

    @Test("the error of the last try tells of all of them, and has URLSession's code") func failure() async throws {
        let bench = try Bench(ScriptedTransport([.status(.badGateway)], then: .failure(.timedOut)))
        let response = await bench.manager.response(to: ORARequest(url: "http://oracle.test/?token=hush"))
        let error = try #require(response.error as? ORAError)
        #expect(response.response == nil && response.data == nil)
        #expect((error as NSError).code == NSURLErrorTimedOut)
        #expect((error.underlying as? TransportError)?.attempts.count == 2)
        #expect(error.description.contains("502") && !error.description.contains("hush"))
    }

    @Test("waits before a repetition, at most as long as the backoff says; others have their turn meanwhile")
    func backoff() async throws {
        let bench = try Bench(
            ScriptedTransport([.status(.serviceUnavailable), .status(.ok)], then: .status(.created)),
            backoff: .exponential(base: .seconds(4), cap: .seconds(8)))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("first", into: ledger)
        bench.add("second", into: ledger)
        try await bench.clock.waitForSleepers(1)
        let wait = try #require(bench.clock.nextDeadline).offset
        #expect(wait <= .seconds(4))
        try await eventually { bench.sent.count >= 2 }
        #expect(bench.sent == ["first", "second"])
        await bench.clock.advance(by: wait)
        let ends = try await ledger.waitForAll()
        #expect(ends.map(\.response?.httpResponse?.status) == [.created, .ok])
        #expect(bench.sent == ["first", "second", "first"])
    }

    @Test("a repetition takes its turn anew: after those of its priority that wait, before lower ones")
    func turns() async throws {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport([.after(gate, .status(.badGateway))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("urgent", Immediate, into: ledger)
        try await gate.waitForArrivals(1)
        bench.manager.queue.pause()
        gate.open()
        try await eventually { bench.manager.queue.runningCount == 0 && bench.manager.queue.waitingCount == 1 }
        bench.add("normal", into: ledger)
        bench.add("urgent too", Immediate, into: ledger)
        try await bench.waitForWaiting(3)
        bench.manager.queue.resume()
        try await ledger.waitForAll()
        #expect(bench.sent == ["urgent", "urgent", "urgent too", "normal"])
    }

    @Test("a try is a whole walk along the redirects, and there are no more than 1 + retryCount", arguments: [0, 1, 3])
    func redirects(retryCount: Int) async throws {
        let bench = try Bench(
            ScriptedTransport { request in
                guard request.url.path() == "/start" else { return request.reply(.badGateway) }
                return request.reply(.temporaryRedirect, fields: try HTTPFields(["Location": "/end"]))
            })
        let request = ORARequest(url: "http://oracle.test/start")
        request.retryCount = retryCount
        let response = await bench.manager.response(to: request)
        #expect(response.httpResponse?.status == .badGateway)
        let walk = ["/start", "/end"]
        #expect(bench.transport.requests.map { $0.url.path() } == (0...retryCount).flatMap { _ in walk })
    }

    @Test("a server that asks for a wait gets it, up to a minute", arguments: [("7", 7), ("3600", 60)])
    func retryAfter(asked: String, kept: Int) async throws {
        let step = ScriptedTransport.Step {
            $0.reply(.serviceUnavailable, fields: try HTTPFields(["Retry-After": asked]))
        }
        let bench = try Bench(ScriptedTransport([step], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("first", into: ledger)
        try await bench.clock.waitForSleepers(1)
        #expect(bench.clock.nextDeadline?.offset == .seconds(kept))
        await bench.clock.advance(by: .seconds(kept))
        try await ledger.waitForAll()
    }

    @Test("a request that waits for its repetition can be cancelled") func cancelled() async throws {
        let bench = try Bench(
            ScriptedTransport([.failure(.connectionLost)], then: .status(.ok)),
            backoff: .exponential(base: .seconds(4), cap: .seconds(8)))
        let ledger = CompletionLedger<ORAResponse>()
        let call = bench.add("first", into: ledger)
        try await bench.clock.waitForSleepers(1)
        call.cancel()
        let ends = try await ledger.waitForAll()
        #expect((ends[0].response?.error as? ORAError)?.code == .cancelled)
        #expect(bench.sent == ["first"])
    }
}
