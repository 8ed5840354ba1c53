import Rounds

/// The benchmarks of an engine against AsyncHTTPClient.
struct EngineComparison {
    /// A body of another length than the requested one.
    struct Truncated: Error {
        let count: Int
    }

    private static let size = 1 << 30
    let peer: AsyncHTTPClientEngine

    init(_ peer: AsyncHTTPClientEngine) { self.peer = peer }

    func run(with subject: some MeasuredEngine) async throws {
        for inFlight in [1, 16] {
            let requests = inFlight == 1 ? 3000 : 10_000
            try await compare("Decoded GET, \(inFlight) in flight", subject) { engine in
                try await Rounds.repeating(requests, inFlight: inFlight) { _ = try await engine.get() }
            }
            try await compare("POST of JSON, decoded, \(inFlight) in flight", subject) { engine in
                try await Rounds.repeating(requests, inFlight: inFlight) { _ = try await engine.post(Item()) }
            }
        }
        try await compare("1 GiB read in pieces", subject) { engine in
            let count = try await engine.read(byteCount: Self.size)
            guard count == Self.size else { throw Truncated(count: count) }
        }
    }

    private func compare(
        _ name: String, _ subject: some MeasuredEngine, _ work: (any MeasuredEngine) async throws -> Void
    ) async throws {
        try await Rounds.compareTimes("\(name), \(subject.name)", against: peer.name) {
            try await work(subject)
        } peer: {
            try await work(peer)
        }
    }
}
