import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct BandwidthLimitingTests {
    /// Reads the request's body at once, as an engine without a network, and notes the sizes of its pieces.
    private struct ReadingTransport: StreamingTransport {
        let base: FakeTransport
        let pieces = Pieces()

        final class Pieces: Sendable {
            private let sizes = Mutex<[Int]>([])
            /// For each piece, whether a layer has held it back.
            let holds = Mutex<[Bool?]>([])
            var all: [Int] { sizes.withLock(\.self) }
            func add(_ size: Int) { sizes.withLock { $0.append(size) } }
        }

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            for try await chunk in request.body.chunks() {
                pieces.add(chunk.count)
                pieces.holds.withLock { $0.append(request.options.uploadHold?.takeHeld()) }
            }
            return try await base.send(request, observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            for try await chunk in request.body.chunks() { pieces.add(chunk.count) }
            return try await base.stream(request, observer: observer)
        }
    }

    private func fake(_ size: Int) -> ReadingTransport {
        ReadingTransport(base: FakeTransport { $0.response(body: Data(repeating: 7, count: size)) })
    }

    private func request(
        _ method: HTTPMethod = .get, body: HTTPBody = .empty, _ change: (inout RequestOptions) -> Void = { _ in }
    ) throws -> HTTPRequest {
        try HTTPRequest(method, "http://h/", body: body, options: RequestOptions(change))
    }

    @Test(arguments: [true, false]) func `a response body passes at the rate`(isStreamed: Bool) async throws {
        let clock = ManualClock()
        let transport = fake(10_000).limitingBandwidth(.bytesPerSecond(download: 1000), clock: clock)
        let request = try request()
        let body = try await clock.autoAdvancing {
            guard isStreamed else { return try await transport.send(request).body }
            return try await transport.stream(request).body.collect()
        }
        #expect(body.count == 10_000)
        #expect(clock.now.offset > .seconds(9.85) && clock.now.offset < .seconds(9.91))
        #expect(transport.limiter.averageBytesPerSecond > 900)
    }

    @Test func `a request body is read at the rate, in pieces`() async throws {
        let clock = ManualClock()
        let base = fake(0)
        let transport = base.limitingBandwidth(.bytesPerSecond(upload: 1000), clock: clock)
        let request = try request(.post, body: .bytes(Data(repeating: 7, count: 3000)))
        _ = try await clock.autoAdvancing { try await transport.send(request) }
        #expect(base.pieces.all == Array(repeating: 50, count: 60))
        #expect(clock.now.offset > .seconds(2.85) && clock.now.offset < .seconds(2.91))
    }

    // The first two pieces of 50 bytes are the burst of the lower limit; the higher one never waits.
    @Test(arguments: [[1000], [100_000], [1000, 100_000], [100_000, 1000]])
    func `an engine is told of each wait, of whichever layer, and of no other piece`(rates: [Int]) async throws {
        func limited(_ base: some StreamingTransport, _ rates: ArraySlice<Int>) -> any StreamingTransport {
            guard let rate = rates.first else { return base }
            return limited(base.limitingBandwidth(.bytesPerSecond(upload: rate), clock: clock), rates.dropFirst())
        }
        let clock = ManualClock()
        let base = fake(0)
        let transport = limited(base, rates[...])
        let request = try request(.post, body: .bytes(Data(repeating: 7, count: 250)))
        _ = try await clock.autoAdvancing { try await transport.send(request) }
        let holds = base.pieces.holds.withLock(\.self)
        #expect(holds.first == false && holds.last == rates.contains(1000), "\(holds)")
    }

    @Test func `waits of several layers end together`() {
        let hold = UploadHold()
        hold.begin()
        hold.begin()
        hold.end()
        #expect(hold.takeHeld() && hold.takeHeld())
        hold.end()
        #expect(hold.takeHeld() && !hold.takeHeld())
    }

    @Test func `a request has limits of its own, within those of the layer`() async throws {
        let clock = ManualClock()
        let transport = fake(1000).limitingBandwidth(.bytesPerSecond(download: 10_000), clock: clock)
        let request = try request { $0.bandwidth.download = 500 }
        _ = try await clock.autoAdvancing { try await transport.send(request) }
        #expect(clock.now.offset > .seconds(1.85) && clock.now.offset < .seconds(1.91))
    }

    @Test func `both directions share a total`() async throws {
        let clock = ManualClock()
        let transport = fake(1000).limitingBandwidth(.bytesPerSecond(total: 1000), clock: clock)
        let request = try request(.post, body: .bytes(Data(repeating: 7, count: 1000)))
        _ = try await clock.autoAdvancing { try await transport.send(request) }
        #expect(clock.now.offset > .seconds(1.85) && clock.now.offset < .seconds(1.91))
    }

    @Test func `calls take turns, however large their bodies are`() async throws {
        let clock = ManualClock()
        let limiter = BandwidthLimiter(.bytesPerSecond(download: 1000), clock: clock)
        let (large, small) = (fake(1 << 20).limitingBandwidth(by: limiter), fake(100).limitingBandwidth(by: limiter))
        let request = try request()
        let endless = Task { try await large.send(request) }
        try await clock.waitForSleepers(1)
        let driver = Task {
            while (try? await clock.waitForSleepers(1)) != nil { await clock.advanceToNextDeadline() }
        }
        #expect(try await small.send(request).body.count == 100)
        endless.cancel()
        let error = await #expect(throws: TransportError.self) { try await endless.value }
        driver.cancel()
        #expect(error?.code == .cancelled)
    }

    @Test func `a total timeout that the next piece would exceed ends the call at once`() async throws {
        let clock = ManualClock()
        let transport = fake(1000).limitingBandwidth(.bytesPerSecond(download: 1000), clock: clock)
        let request = try request { $0.timeouts.total = .milliseconds(500) }
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(request) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.head?.status == .ok)
        #expect(clock.now.offset <= .milliseconds(500))
    }

    @Test func `calls that fail or are cancelled take no time of others`() async throws {
        let clock = ManualClock()
        let transport = fake(1000).limitingBandwidth(.bytesPerSecond(download: 1000), clock: clock)
        let hurried = try request { $0.timeouts.total = .milliseconds(1) }
        for _ in 0..<100 {
            await #expect(throws: TransportError.self) { try await transport.send(hurried) }
        }
        let request = try request()
        for _ in 0..<10 {
            let cancelled = Task { try await transport.send(request) }
            try await clock.waitForSleepers(1)
            cancelled.cancel()
            await #expect(throws: TransportError.self) { try await cancelled.value }
        }
        _ = try await clock.autoAdvancing { try await transport.send(request) }
        #expect(clock.now.offset < .seconds(1.01))
    }

    @Test func `a body in flight is not charged to a limit that is set meanwhile`() async throws {
        let clock = ManualClock()
        let limiter = BandwidthLimiter(clock: clock)
        let base = FakeTransport { request in
            limiter.bandwidth.total = 1000
            return request.response(body: Data(count: 1 << 20))
        }
        let body = HTTPBody.bytes(Data(count: 1 << 20))
        _ = try await base.limitingBandwidth(by: limiter).send(request(.post, body: body))
        let request = try request()
        _ = try await clock.autoAdvancing { try await fake(1000).limitingBandwidth(by: limiter).send(request) }
        #expect(clock.now.offset < .seconds(1.01))
        #expect(limiter.averageBytesPerSecond > 400_000)
    }

    @Test func `a body that is declared to be too long is not read first`() async throws {
        let clock = ManualClock()
        let base = FakeTransport { request in
            request.response(
                fields: try HTTPFields(["Content-Length": "10000"]),
                body: Data(count: request.method == .head ? 0 : 10_000)
            )
        }
        let transport = base.limitingBandwidth(.bytesPerSecond(download: 1000), clock: clock)
        let small = try request { $0.maximumResponseBytes = 9000 }
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(small) }
        }
        #expect(error?.code == .responseTooLarge && error?.head?.status == .ok && clock.now.offset == .zero)
        #expect(try await transport.send(request(.head) { $0.maximumResponseBytes = 9000 }).status == .ok)
    }

    /// An engine that takes each error of a body for one of reading.
    private struct WrappingTransport: StreamingTransport {
        let base: ReadingTransport

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            do { return try await base.stream(request, observer: observer) } catch {
                throw TransportError(.unreadableBody, "m", request: request, underlying: error)
            }
        }
    }

    @Test(arguments: [Bandwidth.bytesPerSecond(upload: 1000), .bytesPerSecond(upload: 1000, download: 1000)])
    func `the total timeout ends an upload as it ends a download`(bandwidth: Bandwidth) async throws {
        let clock = ManualClock()
        let transport = WrappingTransport(base: fake(0)).limitingBandwidth(bandwidth, clock: clock)
        let late = try request(.post, body: .bytes(Data(count: 3000))) {
            $0.timeouts.total = .seconds(1)
            $0.timeouts.reduceTotal(to: .milliseconds(500))
        }
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(late) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total)
        // The error names what was set, and not its rest.
        #expect(error?.message.contains("within 1.0 s") == true)
        let broken = HTTPBody.stream(
            AsyncThrowingStream<Data, any Error> { $0.finish(throwing: TransportError(.connectionLost, "m")) })
        let unreadable = await #expect(throws: TransportError.self) {
            try await transport.send(request(.post, body: broken))
        }
        #expect(unreadable?.code == .unreadableBody)
    }

    @Test func `the total timeout ends an upload that a layer inside limits, too`() async throws {
        let clock = ManualClock()
        let transport = WrappingTransport(base: fake(0))
            .limitingBandwidth(.bytesPerSecond(upload: 1_000_000), clock: clock)
            .limitingBandwidth(.bytesPerSecond(upload: 1000), clock: clock)
        let late = try request(.post, body: .bytes(Data(count: 3000))) { $0.timeouts.total = .seconds(1) }
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(late) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total)
    }

    @Test func `without a limit the base sends as it does, and the bytes count`() async throws {
        let clock = ManualClock()
        let base = fake(600)
        let transport = base.limitingBandwidth(clock: clock)
        _ = try await transport.send(request(.post, body: .bytes(Data(repeating: 7, count: 400))))
        #expect(base.pieces.all == [400])
        #expect(transport.limiter.averageBytesPerSecond == 200)
        transport.limiter.bandwidth.download = 1000
        let request = try request()
        _ = try await clock.autoAdvancing { try await transport.send(request) }
        #expect(clock.now.offset > .milliseconds(400))
    }

    @Test func `an engine that collects bodies refuses limits before anything is sent`() async throws {
        try await LoopbackServer.serving(ClosureService { $0.response() }) { server in
            let transport = URLSessionTransport().limitingBandwidth(.bytesPerSecond(upload: 1000))
            let post = try HTTPRequest(.post, server.url(of: "/"), body: .text("x"))
            let error = await #expect(throws: TransportError.self) { try await transport.send(post) }
            #expect(error?.code == .unsupported)
            let get = try HTTPRequest(.get, server.url(of: "/"))
            #expect(try await transport.send(get).status == .ok)
            #expect(server.requestCount == 1)
        }
    }

    @Test(arguments: [(EngineKind.libcurl, true), (.cfNetwork, false)])
    func `downloads are limited where the engine can suspend them`(engine: EngineKind, isRefused: Bool) throws {
        let download = try request { $0.pacedBodies = .download }
        #expect((try? download.checkBodies(for: engine)) == nil ? isRefused : !isRefused)
    }
}
