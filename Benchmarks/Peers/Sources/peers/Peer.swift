/// A client that is measured.
struct Peer: Sendable {
    let name: String
    let get: @Sendable () async throws -> Item

    /// Sends requests with a fixed number in flight, and returns the number of them in a second.
    func rate(requests: Int, inFlight: Int) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask { for _ in 0..<(requests / inFlight) { _ = try await get() } }
            }
            try await group.waitForAll()
        }
        return Double(requests) / ((ContinuousClock.now - start) / .seconds(1))
    }
}
