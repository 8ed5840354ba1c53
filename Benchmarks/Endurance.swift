import Foundation
import HTTPMessages
import Transport

extension Harness {
    /// Measures the resources that many requests leave in this process.
    func endurance(_ server: ServerProcess) async throws -> Growth {
        let requests = count(20_000)
        let transport = URLSessionTransport()
        let request = try HTTPRequest(.get, server.url + "/item")
        let url = request.url
        let bare = BareURLSession(connections: 16)
        let (_, bareBytes) = try await growth(requests) { _ = try await bare.get(url) }
        let (growth, bytes) = try await growth(requests) { _ = try await transport.send(request) }
        return Growth(
            name: "Endurance", requests: requests, descriptors: growth.descriptors, threads: growth.threads,
            bytesPerRequest: bytes, baselineBytesPerRequest: bareBytes)
    }

    private func growth(
        _ requests: Int, _ operation: @escaping @Sendable () async throws -> Void
    ) async throws -> (Usage, Double) {
        try await repeating(max(requests / 4, 100), inFlight: 16, operation)
        let before = Usage.now
        try await repeating(requests, inFlight: 16, operation)
        let after = Usage.now
        let growth = Usage(
            descriptors: after.descriptors - before.descriptors, threads: after.threads - before.threads,
            bytes: after.bytes - before.bytes)
        return (growth, Double(growth.bytes) / Double(requests))
    }
}
