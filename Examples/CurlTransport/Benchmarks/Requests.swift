import CurlTransport
import Foundation
import HTTPMessages
import Transport

/// The JSON of ``PollServer``.
private struct Item: Decodable, Sendable {
    let id: Int
    let name: String
    let price: Double
    let tags: [String]
    let stock: Int
}

extension Harness {
    /// Compares small requests with a bare session and the same decoding.
    func requests(_ server: ServerProcess) async throws -> [Figure] {
        var figures: [Figure] = []
        for inFlight in [1, 16, 64] {
            let operations = count(inFlight == 1 ? 3000 : 10_000)
            let transport = try CurlTransport(network: .direct)
            let request = try HTTPRequest(
                .get, server.url + "/item", fields: HTTPFields(["Accept": "application/json"]))
            let url = request.url
            let bare = BareURLSession(connections: CurlTransport.Configuration().maximumConnectionsPerOrigin)
            figures.append(
                try await compare(
                    "GET, decoded, \(inFlight) in flight", operations: operations,
                    against: "bare URLSession data task, same request and decoding", rounds: min(rounds, 9),
                    subject: {
                        try await repeating(operations, inFlight: inFlight) {
                            _ = try JSONDecoder().decode(Item.self, from: try await transport.send(request).body)
                        }
                    },
                    baseline: {
                        try await repeating(operations, inFlight: inFlight) {
                            let body = try await bare.get(url, fields: ["Accept": "application/json"])
                            _ = try JSONDecoder().decode(Item.self, from: body)
                        }
                    }))
            await transport.shutdown()
        }
        return figures
    }

    /// Measures the memory of requests that wait for their responses.
    func memory(_ server: ServerProcess) async throws -> InFlight {
        let requests = count(1000)
        let transport = try CurlTransport(
            configuration: .init(maximumConnectionsPerOrigin: requests), network: .direct)
        let options = RequestOptions(timeouts: Timeouts(response: nil, idle: nil))
        let held = try HTTPRequest(.get, server.url + "/hold", options: options)
        _ = try await transport.send(HTTPRequest(.get, server.url + "/item"))
        Usage.resetPeak()
        let before = Usage.now
        var during = before
        try await withThrowingTaskGroup { group in
            for _ in 0..<requests { group.addTask { _ = try await transport.send(held) } }
            // Each request in flight has a connection of its own.
            while during.descriptors < before.descriptors + requests - 1 {
                try await Task.sleep(for: .milliseconds(10))
                during = Usage.now
            }
            try await Task.sleep(for: .milliseconds(200))
            during = Usage.now
            _ = try await URLSessionTransport.shared.send(HTTPRequest(.get, server.url + "/release"))
            try await group.waitForAll()
        }
        await transport.shutdown()
        return InFlight(
            requests: requests, bytes: during.bytes - before.bytes, threads: during.threads - before.threads)
    }
}

/// The memory of requests in flight.
struct InFlight: Finding {
    let requests: Int
    let bytes: Int
    let threads: Int

    var title: String { "\(requests) requests in flight, each with a connection" }
    var lines: [String] { ["memory +\((Double(bytes) / 1e6).text(1)) MB, threads \(threads.signed)"] }
}

extension CurlTransport.NetworkOptions {
    /// Without a proxy.
    static var direct: Self {
        var options = Self()
        options.proxy = .none
        return options
    }
}
