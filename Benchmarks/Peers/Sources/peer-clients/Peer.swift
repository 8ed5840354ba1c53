import Rounds

/// A client that is measured.
struct Peer: Sendable {
    let name: String
    let get: @Sendable () async throws -> Item

    /// Sends a number of requests, with a fixed number of them in flight.
    func get(_ requests: Int, inFlight: Int) async throws {
        try await Rounds.repeating(requests, inFlight: inFlight) { _ = try await get() }
    }
}
