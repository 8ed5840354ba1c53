import HTTPMessages
import PatchbayTestKit
import Queueing
import Transport

extension Harness {
    /// Measures the overhead of the retrying, hedging, circuit breaking, coalescing and limiting layers over a fake.
    func layers() async throws -> [Figure] {
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        let retrying = Retrying(base: fake, strategy: .standard)
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        var hurried = request
        hurried.options.timeouts.total = .seconds(10)
        return [
            try await layered("Retrying", retrying, request),
            try await layered("Retrying, with a total timeout", retrying, hurried),
            try await layered("Queued and Retrying", Queued(base: retrying), request),
            try await layered("CircuitBreaking", CircuitBreaking(base: fake), request),
            try await layered("Hedging", Hedging(base: fake, after: .seconds(1)), request),
            try await layered("Coalescing", Coalescing(base: fake), request),
            try await layered(
                "RateLimiting that does not wait", fake.limiting(to: .requests(100_000_000, per: .second)), request),
        ]
    }

    private func layered(_ name: String, _ transport: some Transport, _ request: HTTPRequest) async throws -> Figure {
        let operations = count(100_000)
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        return try await compareTimes(
            "\(name) over a fake", operations: operations, against: "the fake alone",
            subject: { try await cpuSeconds { for _ in 0..<operations { _ = try await transport.send(request) } } },
            baseline: { try await cpuSeconds { for _ in 0..<operations { _ = try await fake.send(request) } } })
    }
}
