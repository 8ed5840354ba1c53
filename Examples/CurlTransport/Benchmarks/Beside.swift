import CurlTransport
import HTTPMessages
import Transport

extension Harness {
    /// Compares requests beside a stream of one-byte chunks, which another server sends at full speed, with the same
    /// alone.
    func beside(_ server: ServerProcess) async throws -> Figure {
        let transport = try CurlTransport(network: .direct)
        let request = try HTTPRequest(.get, server.url + "/item")
        let flood = try HTTPRequest(.get, server.streamingURL + "/chunks")
        let operations = count(1000)
        let requests = { try await repeating(operations, inFlight: 1) { _ = try await transport.send(request) } }
        let figure = try await compareTimes(
            "GET beside a stream of one-byte chunks", operations: operations, against: "the same alone",
            rounds: min(rounds, 9)
        ) {
            let stream = try await transport.stream(flood)
            let reading = Task { for try await _ in stream.body {} }
            defer { reading.cancel() }
            return try await seconds(requests)
        } baseline: {
            try await seconds(requests)
        }
        await transport.shutdown(.cancelling)
        return figure
    }
}
