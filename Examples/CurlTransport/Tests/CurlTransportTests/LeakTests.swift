import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// What this process holds, from `/proc`.
private struct Holdings: Equatable, CustomStringConvertible {
    let descriptors: Int
    let threads: Int

    /// What it holds at the moment.
    static var now: Holdings {
        func count(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
        return Holdings(descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"))
    }
    var description: String { "\(descriptors) descriptors, \(threads) threads" }
}

/// Each of these tests needs all slots, because it counts what the process holds.
@Suite struct LeakTests {
    /// Waits until the process holds no more than before: the last threads may not have ended, and other tests may hold
    /// some for a moment.
    private func returns(
        to before: Holdings, within slack: Holdings = Holdings(descriptors: 0, threads: 0)
    ) async throws {
        try await eventually("the process holds no more than \(before)") {
            let now = Holdings.now
            return now.descriptors <= before.descriptors + slack.descriptors
                && now.threads <= before.threads + slack.threads + 2
        }
    }

    private func runs(_ count: Int, _ body: (Int) async throws -> Void) async throws -> [Holdings] {
        var holdings: [Holdings] = []
        for round in 0..<count {
            try await body(round)
            holdings.append(.now)
        }
        return holdings
    }

    @Test(.needsAllSlots) func `a transport that is shut down leaves no descriptor and no thread`() async throws {
        try await LoopbackServer { $0.response(text: "ok") }.stopping { server in
            let request = try HTTPRequest(.get, server.url(of: "/"))
            // The first one loads the library, whose own files stay open.
            let holdings = try await runs(6) { _ in
                let transport = try CurlTransport(network: .init())
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 { group.addTask { _ = try await transport.send(request) } }
                    try await group.waitForAll()
                }
                await transport.shutdown()
                try await server.waitForOpenConnections(0)
            }
            try await returns(to: holdings[1])
        }
    }

    @Test(.needsAllSlots) func `a transport that is released ends its thread`() async throws {
        try await LoopbackServer { $0.response(text: "ok") }.stopping { server in
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let holdings = try await runs(8) { _ in
                _ = try await CurlTransport().send(request)
                try await server.waitForOpenConnections(0)
            }
            try await returns(to: holdings[1])
        }
    }

    @Test(.needsAllSlots) func `requests leave nothing behind, however they end`() async throws {
        try await LoopbackServer(
            limits: .init(recordedRequests: 0),
            script: { request in
                switch request.number % 5 {
                case 0: [.close]
                case 1: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .reset]
                case 2: [.send("no HTTP\r\n\r\n"), .close]
                default: [.respond(with: ClosureService { $0.response(body: Data(count: 10_000)) })]
                }
            }
        ).stopping { server in
            let transport = try CurlTransport()
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let holdings = try await runs(4) { _ in
                await withTaskGroup { group in
                    for _ in 0..<8 { group.addTask { for _ in 0..<50 { _ = try? await transport.send(request) } } }
                }
            }
            // Each of the eight may have left an open connection: two descriptors, and a thread of the server.
            try await returns(to: holdings[0], within: Holdings(descriptors: 16, threads: 8))
            await transport.shutdown()
        }
    }

    @Test(.needsAllSlots) func `requests that are cancelled at random moments end once each`() async throws {
        try await LoopbackServer(limits: .init(recordedRequests: 0)) { $0.response(body: Data(count: 20_000)) }
            .stopping { server in
                let transport = try CurlTransport()
                let request = try HTTPRequest(.get, server.url(of: "/"))
                var generator = SeededGenerator(seed: 7)
                let delays = (0..<1000).map { _ in Int.random(in: 0..<2000, using: &generator) }
                let ends = await withTaskGroup { group in
                    for (number, delay) in delays.enumerated() {
                        group.addTask {
                            let call = Task {
                                if number.isMultiple(of: 2) { return try await transport.send(request).body.count }
                                return try await transport.stream(request).collect(upTo: 1 << 20).body.count
                            }
                            try? await Task.sleep(for: .microseconds(delay))
                            call.cancel()
                            return await call.result
                        }
                    }
                    return await group.reduce(into: [String: Int]()) { counts, result in
                        switch result {
                        case .success(let count): counts["\(count) bytes", default: 0] += 1
                        case .failure(let error):
                            let isCancelled = (error as? TransportError)?.code == .cancelled
                            counts[isCancelled ? "cancelled" : "\(error)", default: 0] += 1
                        }
                    }
                }
                #expect(Set(ends.keys).isSubset(of: ["20000 bytes", "cancelled"]), "\(ends)")
                #expect(ends.values.reduce(0, +) == 1000)
                await transport.shutdown()
                try await server.waitForOpenConnections(0)
            }
    }

    @Test(.needsSlot) func `after shutdown requests fail as cancelled`() async throws {
        let transport = try CurlTransport()
        await transport.shutdown(.cancelling)
        let error = await transportError { _ = try await transport.send(HTTPRequest(.get, "http://127.0.0.1:1/")) }
        #expect(error?.code == .cancelled)
    }
}
