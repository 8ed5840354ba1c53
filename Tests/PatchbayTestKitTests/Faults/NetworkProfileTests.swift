import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Behavior 11: slow and lossy networks.
@Suite struct NetworkProfileTests {
    private func request(_ body: HTTPBody = .empty, timeouts: Timeouts = Timeouts()) throws -> HTTPRequest {
        try HTTPRequest(
            body.isEmpty ? .get : .post, "https://shop.example.com/", body: body,
            options: RequestOptions(timeouts: timeouts))
    }

    private func fake(_ count: Int) -> FakeTransport {
        FakeTransport { request in
            try request.response(fields: HTTPFields(["Content-Length": "\(count)"]), body: Data(count: count))
        }
    }

    /// The result of a request, and the time of the clock at its end.
    private func timed<Value>(
        _ clock: ManualClock, _ body: () async throws -> Value
    ) async -> (result: Result<Value, any Error>, time: Duration) {
        await clock.autoAdvancing {
            do { return (.success(try await body()), clock.now.offset) } catch {
                return (.failure(error), clock.now.offset)
            }
        }
    }

    @Test func `latency and rates take their time on the clock of the test`() async throws {
        let clock = ManualClock()
        let profile = NetworkProfile(latency: .milliseconds(500), upload: 100, download: 1000)
        let transport = fake(3000).throttled(by: profile, clock: clock)
        let request = try request(.bytes(Data(count: 200)))
        let (result, time) = await timed(clock) { try await transport.send(request) }
        #expect(try result.get().body.count == 3000 && time == .milliseconds(5500))
    }

    @Test func `a stream arrives in pieces at the rate`() async throws {
        let clock = ManualClock()
        let transport = fake(1000).throttled(by: NetworkProfile(download: 1000), clock: clock)
        let (result, time) = await timed(clock) {
            var times: [Duration] = []
            for try await chunk in try await transport.stream(request()).body {
                #expect(chunk.count == 100)
                times.append(clock.now.offset)
            }
            return times
        }
        #expect(try result.get() == (1...10).map { .milliseconds($0 * 100) } && time == .seconds(1))
    }

    @Test(arguments: [
        (
            NetworkProfile(latency: .seconds(3)), Timeouts(response: .seconds(2)), Timeouts.Phase.response,
            Duration.seconds(2)
        ),
        (NetworkProfile(latency: .seconds(3), download: 1), Timeouts(total: .seconds(5)), .total, .seconds(5)),
        (NetworkProfile(download: 1), Timeouts(idle: .milliseconds(900)), .idle, .milliseconds(900)),
    ])
    func `timeouts expire at their time`(
        profile: NetworkProfile, timeouts: Timeouts, phase: Timeouts.Phase, expected: Duration
    ) async throws {
        for isStreaming in [true, false] {
            let clock = ManualClock()
            let transport = fake(10).throttled(by: profile, clock: clock)
            let request = try request(timeouts: timeouts)
            let (result, time) = await timed(clock) {
                isStreaming ? try await transport.stream(request).collect() : try await transport.send(request)
            }
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .timedOut && error?.phase == phase && time == expected, "streaming: \(isStreaming)")
        }
    }

    @Test func `a body whose pieces arrive in time is not idle, however long it takes`() async throws {
        let clock = ManualClock()
        let transport = fake(20).throttled(by: NetworkProfile(download: 10), clock: clock)
        let request = try request(timeouts: Timeouts(idle: .milliseconds(900)))
        let (result, time) = await timed(clock) { try await transport.send(request) }
        #expect(try result.get().body.count == 20 && time == .seconds(2))
    }

    @Test func `equal seeds give equal networks, and the share of lost connections`() {
        let profile = NetworkProfile(jitter: .seconds(1), loss: 0.25, seed: 7)
        let conditions = (0..<4000).map { profile[$0] }
        #expect(conditions == (0..<4000).map { profile[$0] } && conditions != (0..<4000).map { profile.seeded(8)[$0] })
        #expect((900...1100).contains(conditions.count { $0.loss != nil }))
        #expect((400...600).contains(conditions.count { $0.loss == .beforeHead }))
        #expect(conditions.allSatisfy { (.zero...Duration.seconds(1)).contains($0.latency) })
        #expect(NetworkProfile(loss: 0)[0].loss == nil && NetworkProfile(loss: 1)[0].loss != nil)
    }

    @Test func `a lost connection is an error before the head or in the body`() async throws {
        let profile = NetworkProfile(loss: 1, seed: 1)
        let transport = fake(100_000).throttled(by: profile)
        for number in 0..<20 {
            var received = 0
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in try await transport.stream(request()).body { received += chunk.count }
            }
            #expect(error?.code == .connectionLost)
            switch profile[number].loss {
            case .inBody(let share): #expect(received == Int(100_000 * share))
            default: #expect(received == 0)
            }
        }
        await #expect(throws: TransportError.self) { try await transport.send(request()) }
    }

    @Test(.needsSlot) func `a lost response without a body has reached its service, and has no head`() async throws {
        let profile = NetworkProfile(loss: 1, seed: 1)
        let called = Watched(0)
        let service = ClosureService { request in
            called.update { $0 += 1 }
            return request.response(.noContent)
        }
        let expected = (0..<20).count { profile[$0].loss != .beforeHead }
        for isStreaming in [true, false] {
            called.update { $0 = 0 }
            let transport = ServiceTransport(service).throttled(by: profile)
            for _ in 0..<20 {
                let error = await #expect(throws: TransportError.self) {
                    isStreaming ? try await transport.stream(request()).head : try await transport.send(request()).head
                }
                #expect(error?.code == .connectionLost && error?.head == nil)
            }
            #expect(called.value == expected && expected > 0, "streaming: \(isStreaming)")
        }
        try await LoopbackServer(service: service, profile: profile).stopping { server in
            for _ in 0..<20 {
                let client = try RawClient(port: server.port)
                try client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                #expect(await client.readToEnd() == nil)
            }
        }
    }

    @Test func `hostile numbers do not trap`() async throws {
        let profile = NetworkProfile(latency: .seconds(-1), jitter: .seconds(-1), upload: 0, download: -5, loss: -1)
        let clock = ManualClock()
        let (result, time) = await timed(clock) {
            try await fake(2).throttled(by: profile, clock: clock).send(request())
        }
        #expect(try result.get().status == .ok && time == .seconds(2))
        #expect(NetworkProfile(loss: .nan)[0].loss == nil && "\(profile)".contains("seed 0"))
    }

    @Test(.needsSlot) func `the loopback server is as slow and as lossy`() async throws {
        let clock = ManualClock()
        let profile = NetworkProfile(latency: .milliseconds(500), upload: 1000, download: 1000)
        let service = ClosureService { $0.response(body: Data(count: 1000)) }
        let server = try LoopbackServer(service: service, profile: profile, clock: clock)
        try await server.stopping { server in
            let request = try HTTPRequest(.post, server.url(of: "/"), body: .bytes(Data(count: 2000)))
            let network = URLSessionTransport.withoutDeadlines
            let (result, time) = await timed(clock) { try await network.send(request) }
            #expect(try result.get().body.count == 1000 && time == .milliseconds(3500))
        }
        let lossy = try LoopbackServer(service: service, profile: NetworkProfile(loss: 1, seed: 3))
        await lossy.stopping { server in
            for _ in 0..<4 {
                await #expect(throws: TransportError.self) {
                    try await URLSessionTransport.withoutDeadlines.send(HTTPRequest(.get, server.url(of: "/")))
                }
            }
        }
    }
}
