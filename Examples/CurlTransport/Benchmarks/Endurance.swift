import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Transport

extension Harness {
    /// Measures the resources that many requests leave in this process.
    func endurance(_ server: ServerProcess) async throws -> Growth {
        let requests = count(200_000)
        let transport = try CurlTransport(network: .direct)
        let request = try HTTPRequest(.get, server.url + "/item")
        let bare = BareURLSession(connections: 16)
        let (_, bareBytes) = try await growth(requests / 10) { _ = try await bare.get(request.url) }
        let (growth, bytes) = try await growth(requests) { _ = try await transport.send(request) }
        await transport.shutdown()
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

    /// Cancels requests at random moments, and counts how they ended and what is left.
    func cancellations(_ server: ServerProcess) async throws -> Cancellations {
        let requests = count(10_000)
        let ends = Mutex(Ends(generator: SeededGenerator(seed: 2026)))
        let url = server.streamingURL + "/down?"
        // The first sleep opens descriptors of the system's.
        try await Task.sleep(for: .milliseconds(1))
        let before = Usage.now.descriptors
        let seconds = try await seconds {
            let transport = try CurlTransport(network: .direct)
            try await repeating(requests, inFlight: 32) {
                let (number, delay) = ends.withLock { $0.begin() }
                let request = try HTTPRequest(.get, url + "\(number % 7 * 200_000 + 10)")
                let task = Task {
                    if number.isMultiple(of: 2) { return try await transport.send(request).body.count }
                    return try await transport.stream(request).collect().body.count
                }
                try await Task.sleep(for: delay)
                task.cancel()
                let result = await task.result
                ends.withLock { $0.end(result) }
            }
            await transport.shutdown()
        }
        let end = ends.withLock { $0 }
        return Cancellations(
            requests: end.done + end.cancelled + end.failed, done: end.done, cancelled: end.cancelled,
            failed: end.failed, seconds: seconds, descriptors: max(0, Usage.now.descriptors - before), files: 0)
    }

    /// Random delays before cancellation, and the outcomes.
    private struct Ends {
        var generator: SeededGenerator
        var begun = 0
        var done = 0
        var cancelled = 0
        var failed = 0

        mutating func begin() -> (number: Int, delay: Duration) {
            begun += 1
            return (begun, .microseconds(Int.random(in: 0...10_000, using: &generator)))
        }

        mutating func end(_ result: Result<Int, any Error>) {
            switch result {
            case .success: done += 1
            case .failure(let error as TransportError) where error.code == .cancelled: cancelled += 1
            case .failure: failed += 1
            }
        }
    }
}
