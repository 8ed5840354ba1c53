import Dispatch
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The lateness of deadlines, in seconds.
struct Lateness: Finding {
    let name: String
    let calls: Int
    let median: Double
    let maximum: Double

    var title: String { "\(name), \(calls) calls" }
    var lines: [String] {
        [String(format: "late by %.1f ms (median), %.1f ms (maximum)", median * 1e3, maximum * 1e3)]
    }
}

extension Harness {
    /// Measures the lateness of deadlines beside hostile servers and slow observers.
    func lateness(_ server: ServerProcess) async throws -> [Lateness] {
        let hostile: [(String, String, Int)] = [
            ("an endless chunk extension", "/extension", 1), ("8 endless bodies", "/down?\(1 << 50)", 8),
        ]
        // The floods come last: on Linux their transfers continue after cancellation, and occupy the network queue.
        var findings = [try await besideSlowObservers(server)]
        for (name, path, count) in hostile {
            findings.append(try await flooded(server, by: name, path, count))
        }
        return findings
    }

    /// Measures response timeouts of a silent server while another one floods the network queue.
    private func flooded(
        _ server: ServerProcess, by name: String, _ path: String, _ count: Int
    ) async throws -> Lateness {
        let transport = URLSessionTransport()
        let request = try HTTPRequest(
            .get, server.streamingURL + path, options: RequestOptions(timeouts: Timeouts(idle: nil)))
        let floods = (0..<count).map { _ in
            Task {
                // Reads and drops the body, as a client does that searches for its end.
                for try await _ in try await transport.stream(request).body {}
            }
        }
        defer { for flood in floods { flood.cancel() } }
        try await Task.sleep(for: .milliseconds(200))
        return try await keepDeadlines(
            "Response timeout of 100 ms beside \(name)", Timeouts(response: .milliseconds(100)), of: transport, server)
    }

    /// Measures a total timeout while the observers of a thousand requests block.
    private func besideSlowObservers(_ server: ServerProcess) async throws -> Lateness {
        let transport = URLSessionTransport()
        let slow = SlowObserver()
        let request = try HTTPRequest(.get, server.url + "/item")
        let calls = (0..<1000).map { _ in Task { try await transport.send(request, observer: slow) } }
        try await slow.waitUntilBlocked()
        let finding = try await keepDeadlines(
            "Total timeout of 500 ms beside 1,000 slow observers", Timeouts(total: .milliseconds(500)), of: transport,
            server)
        slow.release()
        for call in calls { _ = try await call.value }
        return finding
    }

    private func keepDeadlines(
        _ name: String, _ timeouts: Timeouts, of transport: URLSessionTransport, _ server: ServerProcess
    ) async throws -> Lateness {
        let request = try HTTPRequest(
            .get, server.streamingURL + "/silence", options: RequestOptions(timeouts: timeouts))
        let due = timeouts.total ?? timeouts.response ?? .zero
        var times: [Double] = []
        // More requests than slots, also in a quick run, which reveals leaked slots.
        for _ in 0..<40 {
            let time = try await seconds {
                do {
                    _ = try await transport.send(request)
                } catch let error as TransportError where error.code == .timedOut {
                    return
                }
                throw TransportError(
                    .unknown, "Response received; the request should have timed out.", request: request)
            }
            times.append(time - due / .seconds(1))
        }
        return Lateness(name: name, calls: times.count, median: times.median, maximum: times.max() ?? 0)
    }
}

/// Blocks in every event until it is released.
private final class SlowObserver: TransferObserver {
    private let state = Mutex((blocked: 0, isReleased: false))

    func transfer(didEmit event: TransferEvent) {
        state.withLock { $0.blocked += 1 }
        while !state.withLock(\.isReleased) { Thread.sleep(forTimeInterval: 0.01) }
    }

    func waitUntilBlocked() async throws {
        while state.withLock(\.blocked) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(200))
    }

    func release() { state.withLock { $0.isReleased = true } }
}
