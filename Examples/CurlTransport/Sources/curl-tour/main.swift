// A tour of CurlTransport against a server of its own: a request, a streamed response, a streamed upload, metrics.
import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import Transport

/// Prints the metrics of a finished transfer.
func show(_ what: String, _ head: HTTPResponseHead, _ count: Int) {
    print("\(what): \(head.status), \(count) bytes")
    guard let metrics = head.metrics else { return }
    let connection = metrics.isConnectionReused == true ? "reused" : "new"
    print("    HTTP/\(metrics.httpVersion ?? "?"), \(connection) connection")
    print("    first byte after \(metrics.firstByte ?? .zero), end after \(metrics.total)")
}

func tour(_ transport: CurlTransport, _ server: URL) async throws {
    let response = try await transport.send(HTTPRequest(.get, server.appending(path: "hello")))
    show("GET", response.head, response.body.count)

    let stream = try await transport.stream(HTTPRequest(.get, server.appending(path: "large")))
    var count = 0
    for try await chunk in stream.body { count += chunk.count }
    show("Streamed", stream.head, count)

    let pieces = AsyncStream<Data> { continuation in
        for number in 0..<10 { continuation.yield(Data("piece \(number)\n".utf8)) }
        continuation.finish()
    }
    let echo = try await transport.send(HTTPRequest(.post, server.appending(path: "echo"), body: .stream(pieces)))
    show("Uploaded", echo.head, echo.body.count)
}

print(try CurlTransport.libraryVersion)
let server = try LoopbackServer { request in
    switch request.url.lastPathComponent {
    case "echo": request.response(body: try await request.body.collect())
    case "large": request.response(body: Data(count: 10 << 20))
    default: request.response(text: "Hello.")
    }
}
let transport = try CurlTransport()
try await tour(transport, server.url)
await transport.shutdown()
await server.stop()
