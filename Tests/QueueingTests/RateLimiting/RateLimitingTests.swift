import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct RateLimitingTests {
    private func limited(
        _ base: ScriptedTransport, _ limit: RateLimit = .requests(1, per: .second), by key: RateLimitKey = .origin,
        clock: ManualClock, maximumWaiting: Int = 500
    ) -> RateLimiting<ScriptedTransport> {
        base.limiting(
            by: RateLimiter(
                limit, by: key, maximumWaiting: maximumWaiting, clock: clock, date: { Date(timeIntervalSince1970: 0) }))
    }

    @Test func `calls beyond the burst wait for their token`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.ok))
        let transport = limited(base, .requests(2, per: .second), clock: clock)
        for _ in 0..<2 { _ = try await transport.send(request()) }
        #expect(clock.now.offset == .zero)
        for _ in 0..<4 { _ = try await clock.autoAdvancing { try await transport.send(request()) } }
        #expect(clock.now.offset >= .seconds(2) && clock.now.offset < .seconds(2.001))
        #expect(base.requests.count == 6)
    }

    @Test func `origins, templates and the app's keys are limited apart`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.ok))
        let byOrigin = limited(base, clock: clock)
        for url in ["http://a/1", "http://b/1", "https://a/1", "http://a:81/"] {
            _ = try await byOrigin.send(request(.get, url))
        }
        var item = try request(.get, "http://a/7")
        item.options.urlTemplate = "/{id}"
        var list = item
        list.options.urlTemplate = "/"
        let byTemplate = limited(base, by: .template, clock: clock)
        for request in [item, list, try request(.get, "http://a/7")] { _ = try await byTemplate.send(request) }
        let own = limited(base, by: .custom { $0.fields["X-User"] }, clock: clock)
        for _ in 0..<5 { _ = try await own.send(request()) }
        #expect(own.limiter.keyCount == 0)
        item.fields["X-User"] = "ann"
        _ = try await own.send(item)
        item.options.timeouts.total = .milliseconds(500)
        let error = await #expect(throws: AdmissionError.self) { try await own.send(item) }
        #expect(error?.rateLimit?.key == "ann")
    }

    @Test func `a wait beyond the total timeout fails at once, and says why`() async throws {
        let clock = ManualClock()
        let transport = limited(ScriptedTransport([], then: .status(.ok)), clock: clock)
        _ = try await transport.send(request())
        var hurried = try request()
        hurried.options.timeouts.total = .milliseconds(500)
        let error = await #expect(throws: AdmissionError.self) { try await transport.send(hurried) }
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(1))
        #expect(error?.rateLimit?.key == "http://h:80" && error?.rateLimit?.limit == .requests(1, per: .second))
        #expect(error?.rateLimit?.wait == .seconds(1) && error?.rateLimit?.timeLeft == .milliseconds(500))
        #expect(error?.message.contains("1 requests per 1.0 s") == true)
        #expect(error?.message.contains("would wait 1.0 s, and has 0.5 s") == true)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `the base gets the rest of the total timeout`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.ok))
        let transport = limited(base, clock: clock)
        var hurried = try request()
        hurried.options.timeouts.total = .seconds(5)
        for _ in 0..<2 { _ = try await clock.autoAdvancing { [hurried] in try await transport.send(hurried) } }
        let totals = base.requests.map { $0.options.timeouts.total ?? .zero }
        #expect(totals[0] == .seconds(5) && totals[1] <= .seconds(4) && totals[1] > .seconds(3.99))
    }

    @Test func `a cancelled call ends at once and gives up its turn`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.ok))
        let transport = limited(base, clock: clock)
        _ = try await transport.send(request())
        let first = Task { try await transport.send(request()) }
        try await clock.waitForSleepers(1)
        first.cancel()
        let error = await #expect(throws: TransportError.self) { try await first.value }
        #expect(error?.code == .cancelled)
        #expect(transport.limiter.waitingCount == 0)
        _ = try await clock.autoAdvancing { try await transport.send(request()) }
        #expect(base.requests.count == 2 && clock.now.offset < .seconds(1.001))
    }

    @Test func `too many waiting calls are refused`() async throws {
        let clock = ManualClock()
        let transport = limited(ScriptedTransport([], then: .status(.ok)), clock: clock, maximumWaiting: 1)
        _ = try await transport.send(request())
        let waiting = Task { try await transport.send(request()) }
        try await clock.waitForSleepers(1)
        let error = await #expect(throws: AdmissionError.self) { try await transport.send(request()) }
        #expect(error?.code == .tooManyWaiting)
        await clock.advance(by: .seconds(2))
        #expect(try await waiting.value.status == .ok)
    }

    @Test(arguments: [true, false]) func `a 429 stops the key for the time it says`(isStreamed: Bool) async throws {
        let clock = ManualClock()
        let throttled = try ScriptedTransport.Step.response(
            .tooManyRequests, fields: HTTPFields(["Retry-After": "30"]), body: Data("slow down".utf8))
        let base = ScriptedTransport([throttled], then: .status(.ok))
        let transport = limited(base, .byServer, clock: clock)
        let recorder = DetailRecorder()
        if isStreamed {
            #expect(try await transport.stream(request(), observer: recorder).status == .tooManyRequests)
        } else {
            #expect(try await transport.send(request(), observer: recorder).status == .tooManyRequests)
        }
        let response = try await clock.autoAdvancing { try await transport.send(request(), observer: recorder) }
        #expect(response.status == .ok && clock.now.offset >= .seconds(30) && clock.now.offset < .seconds(30.001))
        let events = recorder.events.compactMap { $0 as? RateLimitEvent }
        #expect(events.count == 3 && events.first == .throttled(key: "http://h:80", wait: .seconds(30)))
        #expect(events.dropFirst().first == .waiting(key: "http://h:80", wait: .seconds(30)))
    }

    @Test func `a 429 whose body is too long is learned from, too`() async throws {
        let clock = ManualClock()
        let throttled = try ScriptedTransport.Step.response(
            .tooManyRequests, fields: HTTPFields(["Retry-After": "120"]), body: Data("slow down".utf8))
        let transport = limited(ScriptedTransport([throttled], then: .status(.ok)), .byServer, clock: clock)
        var small = try request()
        small.options.maximumResponseBytes = 1
        let tooLarge = await #expect(throws: TransportError.self) { try await transport.send(small) }
        #expect(tooLarge?.code == .responseTooLarge)
        // Longer than the maximum wait.
        let error = await #expect(throws: AdmissionError.self) { try await transport.send(request()) }
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(120))
        #expect(error?.rateLimit?.timeLeft == .seconds(60))
    }

    @Test func `a response of another origin teaches nothing`() async throws {
        let clock = ManualClock()
        for limit in [RateLimit.byServer, .adaptive] {
            let base = ScriptedTransport(
                [],
                then: ScriptedTransport.Step { _ in
                    let fields = try HTTPFields(["Retry-After": "30"])
                    let head = HTTPResponseHead(
                        status: .tooManyRequests, fields: fields, url: try URL(httpString: "http://other/"))
                    return HTTPResponse(head: head, body: Data())
                })
            let transport = limited(base, limit, clock: clock)
            for _ in 0..<3 { #expect(try await transport.send(request()).status == .tooManyRequests) }
        }
        #expect(clock.now.offset == .zero)
    }

    @Test(
        arguments: [RateLimitKey.origin, .template],
        [
            (RequestOptions { $0.unixSocketPath = "/run/h.sock" }, "/run/h.sock"),
            (RequestOptions { $0.nameOverrides = ["h": "192.0.2.1"] }, "192.0.2.1"),
        ])
    func `a request that is not sent to the host of its URL has a limit of its destination`(
        key: RateLimitKey, elsewhere: (options: RequestOptions, destination: String)
    ) async throws {
        let clock = ManualClock()
        let throttled = try ScriptedTransport.Step.response(
            .tooManyRequests, fields: HTTPFields(["Retry-After": "30"]))
        let transport = limited(ScriptedTransport([throttled], then: .status(.ok)), by: key, clock: clock)
        var local = try HTTPRequest(.get, "http://h/", options: elsewhere.options)
        local.options.urlTemplate = "/"
        local.options.timeouts.total = .seconds(5)
        #expect(try await transport.send(local).status == .tooManyRequests)
        let error = await #expect(throws: AdmissionError.self) { _ = try await transport.stream(local) }
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(30))
        #expect(error?.rateLimit?.key.hasSuffix("http://h:80 via \(elsewhere.destination)") == true)
        // Neither the origin nor another destination has learned from it, or lacks a token.
        var origin = try request(total: .seconds(5))
        origin.options.urlTemplate = "/"
        #expect(try await transport.send(origin).status == .ok)
        local.options.nameOverrides = ["h": "192.0.2.2"]
        local.options.unixSocketPath = nil
        #expect(try await transport.send(local).status == .ok)
        #expect(transport.limiter.keyCount == 3 && clock.now.offset == .zero)
    }

    @Test func `a cancelled call takes no token`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.ok))
        let transport = limited(base, clock: clock)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(request())
        }
        let error = await #expect(throws: TransportError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled && base.requests.isEmpty)
        #expect(try await transport.send(request()).status == .ok && clock.now.offset == .zero)
    }

    @Test func `an adaptive limit begins with the first throttled response`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.status(.ok), .status(.ok), .status(.tooManyRequests)], then: .status(.ok))
        let transport = limited(base, .adaptive, clock: clock)
        for _ in 0..<3 { _ = try await transport.send(request()) }
        #expect(clock.now.offset == .zero)
        _ = try await clock.autoAdvancing { try await transport.send(request()) }
        #expect(clock.now.offset >= .seconds(2) && clock.now.offset < .seconds(2.001))
    }

    @Test func `many calls at once all end, each once, at the rate`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.ok))
        let transport = limited(base, .requests(100, per: .second, burst: 1), clock: clock)
        let request = try request()
        let statuses = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<200 { group.addTask { try await transport.send(request).status } }
            let driver = Task {
                while (try? await clock.waitForSleepers(1)) != nil { await clock.advanceToNextDeadline() }
            }
            defer { driver.cancel() }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count == 200 && statuses.allSatisfy { $0 == .ok })
        #expect(base.requests.count == 200 && transport.limiter.waitingCount == 0)
        #expect(clock.now.offset >= .seconds(1.98))
    }
}

/// Keeps the events of layers.
private final class DetailRecorder: TransferObserver {
    private let stored = Mutex<[any LayerEvent]>([])
    var isImmediate: Bool { true }
    var events: [any LayerEvent] { stored.withLock(\.self) }
    func transfer(didEmit event: TransferEvent) {
        if case .layer(let event) = event { stored.withLock { $0.append(event) } }
    }
}
