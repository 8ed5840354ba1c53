import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot, .enabled(if: Peer.isRunning, "PATCHBAY_TLS_PORT and PATCHBAY_TLS_FILES are not set."))
struct HTTP2Tests {
    private static let subjects: [(Peer, CurlTransport.NetworkOptions.HTTPVersion, String)] = [
        (.valid, .automatic, "HTTP/2.0"), (.valid, .http1, "HTTP/1.1"), (.old, .automatic, "HTTP/1.1"),
        (.plain, .automatic, "HTTP/1.1"), (.plainHTTP2, .http2PriorKnowledge, "HTTP/2.0"),
        (.valid, .http2PriorKnowledge, "HTTP/2.0"),
    ]

    private func transport(_ version: CurlTransport.NetworkOptions.HTTPVersion = .automatic) throws -> CurlTransport {
        try CurlTransport(network: .test { $0.httpVersion = version })
    }

    @Test(arguments: subjects) func `the version is negotiated, or as it was set`(
        peer: Peer, version: CurlTransport.NetworkOptions.HTTPVersion, expected: String
    ) async throws {
        let response = try await transport(version).send(peer.request())
        #expect(response.status == .ok && response.shown.first == expected)
        let metrics = try #require(response.head.transferReport?.metrics)
        #expect("HTTP/" + (metrics.httpVersion ?? "") == expected.replacing("2.0", with: "2"))
        // HTTP/2 has no reason phrases and no Connection field, and the host comes from the URL.
        #expect(response.shown.last?.hasPrefix("127.0.0.1") == true)
    }

    @Test(arguments: [Peer.valid, .plainHTTP2])
    func `requests at the same time share a connection`(peer: Peer) async throws {
        let transport = try transport(peer == .valid ? .automatic : .http2PriorKnowledge)
        _ = try await transport.send(peer.request())
        let connections = try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await transport.send(peer.request()).shown[1] } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        // With prior knowledge, multiplexing fails in libcurl 7.88 (also in its command), so each has a connection.
        #expect(connections.count == 1 || peer == .plainHTTP2)
    }

    @Test func `streams and requests at the same time succeed on one connection`() async throws {
        let transport = try transport()
        let request = try Peer.valid.request(.get, "/files/text.txt")
        let expected = try await transport.send(request).body
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    guard number % 2 == 1 else { return try await transport.send(request).body }
                    var body = Data()
                    for try await chunk in try await transport.stream(request).body { body += chunk }
                    return body
                }
            }
            for try await body in group { #expect(body == expected) }
        }
    }

    @Test func `the first requests to an origin share a connection too, or open few`() async throws {
        let transport = try transport()
        let connections = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await transport.send(Peer.valid.request()).shown[1] } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(connections.count <= 4, "\(connections.count)")
    }

    @Test(arguments: [HTTPMethod.get, .head, .put])
    func `bodies of every kind go over HTTP 2`(method: HTTPMethod) async throws {
        let transport = try transport()
        if method.allowsBody {
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let path = "/files/h2-\(UUID().uuidString).bin"
            let bodies: [HTTPBody] = [
                .bytes(body),
                .stream(
                    AsyncStream { continuation in
                        for start in stride(from: 0, to: body.count, by: 250_000) {
                            continuation.yield(body[start..<(start + 250_000)])
                        }
                        continuation.finish()
                    }, length: Int64(body.count)),
            ]
            for content in bodies {
                let response = try await transport.send(Peer.valid.request(.put, path, body: content))
                #expect(response.status == .created || response.status == .noContent)
                #expect(try await transport.send(Peer.valid.request(.get, path)).body == body)
            }
            #expect(try await transport.send(Peer.valid.request(.delete, path)).status == .noContent)
        } else {
            let response = try await transport.send(Peer.valid.request(method, "/files/text.txt"))
            #expect(response.status == .ok && response.body.isEmpty == (method == .head))
        }
    }

    @Test func `a cancelled stream leaves the connection to the others`() async throws {
        let transport = try transport()
        let first = try await transport.send(Peer.valid.request()).shown[1]
        for _ in 0..<20 {
            var reader: HTTPResponseStream? = try await transport.stream(Peer.valid.request(.get, "/files/text.txt"))
            #expect(reader?.status == .ok)
            reader = nil
            let task = Task { try await transport.send(Peer.valid.request(.get, "/files/text.txt")) }
            task.cancel()
            _ = await task.result
        }
        #expect(try await transport.send(Peer.valid.request()).shown[1] == first)
    }

    @Test func `events come as over HTTP 1`() async throws {
        let transport = RecordingTransport(base: try transport())
        let body = Data(repeating: 0x61, count: 300_000)
        let path = "/files/h2-\(UUID().uuidString).bin"
        _ = try await transport.send(Peer.valid.request(.put, path, body: .bytes(body)))
        var download = try Peer.valid.request(.get, path)
        // The length of a compressed body is not known.
        try download.fields.set(.acceptEncoding, to: "identity")
        _ = try await transport.send(download)
        _ = try await transport.send(Peer.valid.request(.delete, path))
        let uploads = transport.exchanges[0].events, downloads = transport.exchanges[1].events
        #expect(uploads.contains(.sentBytes(300_000, total: 300_000)))
        #expect(downloads.last == .receivedBytes(300_000, total: 300_000))
        #expect(transport.exchanges.allSatisfy { $0.lateEvents.isEmpty })
    }

    @Test func `a response has its trailers over HTTP 2, a stream at its end`() async throws {
        let transport = try transport()
        let request = try Peer.valid.request(.get, "/trailers/text.txt")
        let whole = try await transport.send(request)
        #expect(whole.head.metrics?.httpVersion == "2" && whole.fields["X-Sum"] == nil)
        #expect(try whole.trailers == HTTPFields(["X-Sum": "7"]))
        let stream = try await transport.stream(request)
        var body = Data()
        for try await chunk in stream.body { body += chunk }
        #expect(try body == whole.body && stream.trailers == HTTPFields(["X-Sum": "7"]))
    }

    /// A body that can be read once.
    private func body(_ text: String) -> HTTPBody {
        .stream(
            AsyncStream { continuation in
                continuation.yield(Data(text.utf8))
                continuation.finish()
            })
    }

    // This server ignores the expectation over HTTP/2.
    @Test func `a body that waits for its server is sent over HTTP 2, at the latest after the time`() async throws {
        let transport = try transport()
        let path = "/files/expect-\(UUID().uuidString).txt"
        var upload = try Peer.valid.request(.put, path, body: body("hello"))
        upload.options.continueTimeout = .milliseconds(10)
        let response = try await transport.send(upload)
        #expect(response.status == .created && response.head.metrics?.httpVersion == "2")
        #expect(try await transport.send(Peer.valid.request(.get, path)).body == Data("hello".utf8))
        _ = try await transport.send(Peer.valid.request(.delete, path))
    }

    @Test func `a server that refuses the request by its head ends the wait over HTTP 2`() async throws {
        let transport = try transport()
        var upload = try Peer.valid.request(.put, "/refused", body: body("hello"))
        upload.options.continueTimeout = .seconds(3600)
        let response = try await transport.send(upload)
        #expect(response.status == .forbidden && response.head.metrics?.httpVersion == "2")
        #expect(try await transport.send(Peer.valid.request()).status == .ok)
    }

    @Test func `a request with trailers goes over HTTP 1 to a server of HTTP 2`() async throws {
        let transport = try transport()
        let path = "/files/trailers-\(UUID().uuidString).txt"
        var upload = try Peer.valid.request(.put, path, body: body("hello"))
        upload.options.trailers = RequestTrailers(try HTTPFields(["X-Sum": "7"]))
        let response = try await transport.send(upload)
        #expect(response.status == .created && response.head.metrics?.httpVersion == "1.1")
        #expect(try await transport.send(Peer.valid.request(.get, path)).body == Data("hello".utf8))
        _ = try await transport.send(Peer.valid.request(.delete, path))
    }
}
