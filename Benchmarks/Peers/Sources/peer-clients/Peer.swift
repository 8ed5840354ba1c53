import Rounds

/// A client that is measured.
struct Peer: Sendable {
    let name: String
    let get: @Sendable () async throws -> Item

    /// The time of a number of requests, with a fixed number of them in flight, in seconds.
    func seconds(requests: Int, inFlight: Int) async throws -> Double {
        try await Rounds.seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<inFlight {
                    group.addTask { for _ in 0..<(requests / inFlight) { _ = try await get() } }
                }
                try await group.waitForAll()
            }
        }
    }
}
