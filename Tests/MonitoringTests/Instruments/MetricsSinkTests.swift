import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 7: measurements.
@Suite(.needsSlot) struct MetricsSinkTests {
    private let metrics = MemoryMetrics()
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.post, "http://patchbay.test/", body: .text("abc")) }

    @Test func `instruments have the names, units and buckets of OpenTelemetry's registry`() {
        let duration = MetricInstrument.requestDuration
        #expect(duration.name == "http.client.request.duration" && duration.unit == "s" && duration.kind == .histogram)
        #expect(
            duration.buckets == [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])
        let active = MetricInstrument.activeRequests
        #expect(active.name == "http.client.active_requests" && active.unit == "{request}")
        #expect(active.kind == .upDownCounter)
        #expect(MetricInstrument.requestBodySize.name == "http.client.request.body.size")
        #expect(MetricInstrument.responseBodySize.name == "http.client.response.body.size")
        #expect(
            [MetricInstrument.requestBodySize, .responseBodySize].allSatisfy {
                $0.unit == "By" && $0.kind == .histogram
            })
        #expect(Set(MetricInstrument.all.map(\.name)).count == MetricInstrument.all.count)
    }

    @Test func `each attempt is measured once, and calls are balanced`() async throws {
        let monitor = EventMonitor([.metrics(metrics)])
        let transport = fake(503, 200).observingAttempts(by: monitor).retrying(.immediate).observing(by: monitor)
        _ = try await transport.send(request)
        await monitor.flush()
        let durations = metrics.series(of: .requestDuration)
        #expect(durations.count == 2 && durations.allSatisfy { $0.count == 1 && $0.bucketCounts.count == 15 })
        #expect(
            metrics.series(
                of: .requestDuration, ["http.response.status_code": .int(503), "error.type": .string("503")]
            )
            .count == 1)
        #expect(metrics.sum(of: .activeRequests) == 0 && metrics.series(of: .activeRequests).first?.count == 2)
        #expect(metrics.sum(of: .requestBodySize) == 6 && metrics.sum(of: .responseBodySize) == 10)
    }

    @Test func `a summary has the requests of a template with their failures and quantiles`() {
        func record(_ seconds: Double, _ template: String, _ error: String? = nil) {
            var attributes: [String: AttributeValue] = [
                "http.request.method": .string("GET"), "url.template": .string(template),
            ]
            attributes["error.type"] = error.map { .string($0) }
            metrics.record(seconds, in: .requestDuration, attributes)
        }
        for _ in 0..<10 { record(0.03, "orders/{}") }
        for _ in 0..<10 { record(0.2, "orders/{}", "503") }
        record(60, "slow")
        let summaries = metrics.summaries
        #expect(summaries.map(\.template) == ["orders/{}", "slow"] && summaries.map(\.count) == [20, 1])
        #expect(summaries.map(\.failures) == [10, 0] && summaries.map(\.method) == ["GET", "GET"])
        // At the limit of its bucket, and nine tenths of the way through the next one.
        #expect(summaries[0].median == .seconds(0.05) && summaries[0].percentile95 == .seconds(0.235))
        #expect(summaries[1].median == .seconds(10))
        #expect("\(summaries[0])" == "GET orders/{}: 20, 10 failed, p50 50.0 ms, p95 235.0 ms")
        #expect(MemoryMetrics().summaries.isEmpty)
    }

    @Test func `the summaries of several hosts have their host`() {
        func record(_ host: String, _ template: String?) {
            var attributes: [String: AttributeValue] = [
                "http.request.method": .string("GET"), "server.address": .string(host),
            ]
            attributes["url.template"] = template.map { .string($0) }
            metrics.record(0.03, in: .requestDuration, attributes)
        }
        record("a.test", "/orders/{}")
        record("c.test", nil)
        #expect(metrics.summaries.map(\.host) == [nil, nil])
        record("b.test", "/orders/{}")
        let names = metrics.summaries.map { $0.description.prefix { $0 != ":" } }
        #expect(names == ["GET c.test", "GET a.test/orders/{}", "GET b.test/orders/{}"])
        #expect(metrics.summaries.map(\.host) == [nil, "a.test", "b.test"])
    }

    @Test func `without observed attempts the call is measured`() async throws {
        let monitor = EventMonitor([.metrics(metrics)])
        _ = try await fake(503, 200).retrying(.immediate).observing(by: monitor).send(request)
        await monitor.flush()
        #expect(metrics.series(of: .requestDuration).map(\.count) == [1])
    }

    @Test func `a call that sends nothing is no request if attempts are observed`() async throws {
        let folder = try TemporaryFolder()
        let writer = try HARWriter(folder.url.appending(path: "calls.har"))
        let monitor = EventMonitor([.metrics(metrics), .har(writer)])
        func counts() async -> [Int] {
            await monitor.flush()
            return [metrics.series(of: .requestDuration).reduce(0) { $0 + $1.count }, writer.entryCount]
        }
        let fresh = FakeTransport { $0.response(fields: try HTTPFields(["Cache-Control": "max-age=60"])) }
        let cached = fresh.observingAttempts(by: monitor).caching(in: HTTPCache()).observing(by: monitor)
        for _ in 0..<10 { _ = try await cached.send(HTTPRequest(.get, "http://patchbay.test/")) }
        #expect(await counts() == [1, 1])
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(60)))
        let failing = fake(503).observingAttempts(by: monitor).circuitBreaking(policy).observing(by: monitor)
        _ = try await failing.send(request)
        await #expect(throws: AdmissionError.self) { try await failing.send(request) }
        #expect(await counts() == [2, 2])
        // Another stack with the monitor observes no attempts.
        _ = try await fake(200).observing(by: monitor).send(request)
        _ = try? await ScriptedTransport([.failure(.connectionRefused)]).observing(by: monitor).send(request)
        #expect(await counts() == [4, 4])
        #expect(metrics.sum(of: .activeRequests) == 0)
        try writer.close()
    }

    @Test func `a call that is cancelled in a queue leaves it`() async throws {
        let monitor = EventMonitor([.metrics(metrics)])
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let gate = Gate()
        let executor = ObservedExecutor()
        let transport = ScriptedTransport([.after(gate, .text("a"))]).queued(in: queue).observing(by: monitor)
        let request = request
        let first = Task(executorPreference: executor) { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        let second = Task(executorPreference: executor) { try await transport.send(request) }
        try await executor.waitUntilIdle()
        await monitor.flush()
        #expect(metrics.sum(of: .queueLength) == 1 && metrics.sum(of: .activeRequests) == 2)
        second.cancel()
        _ = try? await second.value
        gate.open()
        _ = try await first.value
        await monitor.flush()
        #expect(metrics.sum(of: .queueLength) == 0 && metrics.sum(of: .activeRequests) == 0)
        #expect(metrics.series(of: .requestDuration, ["error.type": .string("cancelled")]).count == 1)
    }

    @Test func `circuits and credentials are counted`() async throws {
        let monitor = EventMonitor([.metrics(metrics)])
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(60)))
        let transport = fake(503).circuitBreaking(policy).observing(by: monitor)
        _ = try await transport.send(request)
        await #expect(throws: AdmissionError.self) { try await transport.send(request) }
        await monitor.flush()
        let events = metrics.series(of: .circuitEvents).compactMap { $0.attributes["patchbay.circuit.event"] }
        #expect(Set(events) == [.string("opened"), .string("rejected")])
        #expect(metrics.sum(of: .credentialRefreshes) == 0)
    }
}
