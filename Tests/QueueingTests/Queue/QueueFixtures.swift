import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Transport

@testable import Queueing

extension HTTPRequest {
    /// A request to a host.
    static func get(
        _ path: String = "/", host: String = "h", priority: RequestPriority = .normal, tag: String? = nil,
        total: Duration? = nil
    ) throws -> HTTPRequest {
        try HTTPRequest(
            .get, "http://\(host)\(path)",
            options: RequestOptions {
                $0.timeouts.total = total
                $0.priority = priority
                $0.tag = tag
            })
    }
}

extension RequestQueue {
    /// Returns when a slot is free: when a request that is submitted now has started and finished.
    func waitForFreeSlot() async throws {
        let isFree = Gate()
        try submit(HTTPRequest.get()) { event in
            guard case .started(let lease) = event else { return }
            lease.finish()
            isFree.open()
        }
        try await isFree.wait()
    }
}

extension WorkQueue {
    /// A snapshot in which keys are origins.
    func snapshot(now: Duration) -> QueueSnapshot { snapshot(now: now, origin: { "\($0)" }, method: { _ in .get }) }
}

/// Counts concurrent calls, in total and per host.
final class LoadMeter: Sendable {
    private struct Load {
        var running: [String: Int] = [:]
        var most = 0
        var mostOfOne = 0
        var calls = 0
    }

    private let load = Mutex(Load())

    /// The most concurrent calls.
    var most: Int { load.withLock(\.most) }
    /// The most concurrent calls of one host.
    var mostOfOne: Int { load.withLock(\.mostOfOne) }
    /// The number of calls.
    var calls: Int { load.withLock(\.calls) }
    /// The number of running calls.
    var running: Int { load.withLock { $0.running.values.reduce(0, +) } }

    /// A transport that yields a few times before it responds.
    var transport: FakeTransport {
        FakeTransport { request in
            let host = request.url.host() ?? ""
            self.change(host, by: 1)
            defer { self.change(host, by: -1) }
            for _ in 0..<3 { await Task.yield() }
            return request.response()
        }
    }

    private func change(_ host: String, by change: Int) {
        load.withLock { load in
            load.running[host, default: 0] += change
            load.most = max(load.most, load.running.values.reduce(0, +))
            load.mostOfOne = max(load.mostOfOne, load.running[host] ?? 0)
            if change > 0 { load.calls += 1 }
        }
    }
}
