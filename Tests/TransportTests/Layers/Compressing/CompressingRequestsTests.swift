import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct CompressingRequestsTests {
    /// A server that names codings in its responses, and counts what it got.
    private final class Server: Sendable {
        struct Request: Equatable {
            let coding: String?
            let bytes: Int
        }

        private let log = Mutex<[Request]>([])
        /// The value of `Accept-Encoding`; nil for none.
        let accepted = Mutex<String?>(nil)
        /// The codings that are refused with status 415.
        let refused = Mutex<Set<String>>([])
        var requests: [Request] { log.withLock(\.self) }

        var transport: FakeTransport {
            FakeTransport { [self] request in
                let coding = request.fields[.contentEncoding]
                let bytes = try await request.body.collect().count
                log.withLock { $0.append(Request(coding: coding, bytes: bytes)) }
                var fields = HTTPFields()
                if let accepted = accepted.withLock(\.self) { try fields.set(.acceptEncoding, to: accepted) }
                let isRefused = coding.map { coding in refused.withLock { $0.contains(coding) } } ?? false
                let head = HTTPResponseHead(
                    status: isRefused ? .unsupportedMediaType : .ok, fields: fields, url: request.url)
                return HTTPResponse(head: head, body: Data())
            }
        }
    }

    private let server = Server()
    private let text = Data(repeating: 0x61, count: 10_000)

    private func request(_ body: HTTPBody? = nil, url: String = "https://h/", _ fields: (String, String)...) throws
        -> HTTPRequest
    {
        var request = try HTTPRequest(.post, url)
        try request.setBody(body ?? .bytes(text))
        for (name, value) in fields { try request.fields.set(name, to: value) }
        return request
    }

    /// A table that knows that `https://h/` accepts gzip.
    private func gzipAccepted() throws -> AcceptedCodings {
        let codings = AcceptedCodings(preferring: [.gzip])
        codings.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip"]),
                url: try URL(httpString: "https://h/")))
        return codings
    }

    private func layer() throws -> CompressingRequests<FakeTransport> {
        server.transport.compressingRequests(try gzipAccepted())
    }

    private func codings(_ fields: (String, String)..., body: HTTPBody? = nil) async throws -> [String?] {
        server.accepted.withLock { $0 = "gzip" }
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        _ = try await layer.send(try request())
        var second = try request(body)
        for (name, value) in fields { try second.fields.set(name, to: value) }
        _ = try await layer.send(second)
        return server.requests.map(\.coding)
    }

    @Test(arguments: [
        RequestOptions { $0.unixSocketPath = "/run/h.sock" }, RequestOptions { $0.nameOverrides = ["h": "192.0.2.1"] },
    ])
    func `a request that is not sent to the host of its URL is not compressed, and teaches nothing`(
        options: RequestOptions
    ) async throws {
        server.accepted.withLock { $0 = "gzip" }
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        var local = try request()
        local.options = options
        _ = try await layer.send(local)
        _ = try await layer.send(try request())
        _ = try await layer.send(local)
        _ = try await layer.send(try request())
        #expect(server.requests.map(\.coding) == [nil, nil, nil, "gzip"])
    }

    @Test func `bodies are compressed once a response has named a coding`() async throws {
        #expect(try await codings() == [nil, "gzip"])
        #expect(server.requests[0].bytes == text.count)
        #expect(server.requests[1].bytes < 200)
    }

    @Test func `without a named coding nothing is compressed`() async throws {
        let layer = server.transport.compressingRequests()
        for _ in 0..<2 { _ = try await layer.send(try request()) }
        #expect(server.requests.map(\.coding) == [nil, nil])
    }

    @Test func `each origin is learned by itself`() async throws {
        server.accepted.withLock { $0 = "gzip" }
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        _ = try await layer.send(try request())
        _ = try await layer.send(try request(url: "https://other/"))
        #expect(server.requests.map(\.coding) == [nil, nil])
    }

    @Test func `what a later response names counts`() async throws {
        #expect(try await codings() == [nil, "gzip"])
        server.accepted.withLock { $0 = "identity" }
        let layer = try layer()
        _ = try await layer.send(try request())
        _ = try await layer.send(try request())
        #expect(server.requests.map(\.coding) == [nil, "gzip", "gzip", nil])
    }

    // RFC 9110, section 15.5.16.
    @Test func `a request refused for its coding is sent again without it`() async throws {
        server.refused.withLock { $0 = ["gzip"] }
        let layer = try layer()
        #expect(try await layer.send(try request()).head.status == .ok)
        #expect(server.requests.map(\.coding) == ["gzip", nil])
        #expect(server.requests[1].bytes == text.count)
        _ = try await layer.send(try request())
        #expect(server.requests.map(\.coding) == ["gzip", nil, nil])
    }

    @Test func `a stream that was refused is not sent again`() async throws {
        server.refused.withLock { $0 = ["gzip"] }
        let layer = try layer()
        let stream = HTTPBody.stream(HTTPBody.bytes(text).chunks())
        #expect(try await layer.send(try request(stream)).head.status == .unsupportedMediaType)
        #expect(server.requests.map(\.coding) == ["gzip"])
    }

    @Test func `the total timeout includes the refused request`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.after(.seconds(4), on: clock, .status(.unsupportedMediaType)), .text("here")])
        let layer = base.compressingRequests(try gzipAccepted(), clock: clock)
        var request = try request()
        request.options.timeouts.total = .seconds(10)
        let response = try await clock.autoAdvancing { [request] in try await layer.send(request) }
        #expect(response.head.status == .ok)
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(10), .seconds(6)])
        #expect(base.requests.map(\.options.attemptReason) == [.initial, .uncompressed])
    }

    @Test func `without time after the refusal the request times out`() async throws {
        let clock = ManualClock()
        let base = FakeTransport { request in
            try await clock.sleep(for: .seconds(10))
            return HTTPResponse(status: .unsupportedMediaType, url: request.url)
        }
        let layer = base.compressingRequests(try gzipAccepted(), clock: clock)
        var request = try request()
        request.options.timeouts.total = .seconds(10)
        let sent = request
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await layer.send(sent) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total)
        #expect(error?.head?.status == .unsupportedMediaType)
    }

    /// Streams a refusal whose body does not end, then an empty response.
    private struct EndlessRefusal: StreamingTransport {
        let totals = Watched<[Duration?]>([])

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            HTTPResponse(status: .ok, url: request.url)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            let number = totals.update { totals in
                totals.append(request.options.timeouts.total)
                return totals.count
            }
            let head = HTTPResponseHead(status: number == 1 ? .unsupportedMediaType : .ok, url: request.url)
            return HTTPResponseStream(head: head, body: AsyncStream<Data> { if number > 1 { $0.finish() } })
        }
    }

    @Test func `the body of a streamed refusal is awaited for a second`() async throws {
        let (clock, base) = (ManualClock(), EndlessRefusal())
        let layer = base.compressingRequests(try gzipAccepted(), clock: clock)
        var request = try request()
        request.options.timeouts.total = .seconds(10)
        let response = try await clock.autoAdvancing { [request] in try await layer.stream(request) }
        #expect(response.head.status == .ok)
        #expect(base.totals.value == [.seconds(10), .seconds(9)])
    }

    @Test func `the size limit does not apply to the refusal`() async throws {
        let base = ScriptedTransport([.text("too long", status: .unsupportedMediaType), .text("here")])
        var request = try request()
        request.options.maximumResponseBytes = 4
        let response = try await base.compressingRequests(try gzipAccepted()).send(request)
        #expect(response.body == Data("here".utf8))
    }

    @Test(arguments: [
        ("Content-Encoding", "br"), ("Content-Range", "bytes 0-1/2"), ("Content-Digest", "sha-256=:AA==:"),
        ("Repr-Digest", "sha-256=:AA==:"), ("Digest", "md5=AA=="), ("content-md5", "AA=="),
        ("Signature", "a=:AA==:"), ("Signature-Input", "a=()"), ("x-amz-content-sha256", "UNSIGNED-PAYLOAD"),
        ("x-amz-checksum-crc32c", "AA=="), ("X-Hub-Signature-256", "sha256=0"), ("x_body_hash", "0"),
        ("Upload-Offset", "0"), ("Upload-Complete", "?1"), ("Authorization", "AWS4-HMAC-SHA256 Credential=a"),
        ("Authorization", "Digest username=a, qop=auth-int"), ("Authorization", "SharedKey a:b"),
        ("Content-Type", "image/png"), ("Content-Type", "video/mp4"), ("Content-Type", "application/zip"),
    ])
    func `bodies that are compressed or described already are sent as they are`(name: String, value: String)
        async throws
    {
        let codings = try await codings((name, value))
        #expect(codings == [nil, name == "Content-Encoding" ? value : nil])
    }

    @Test(arguments: [
        ("Authorization", "Bearer a"), ("Authorization", "basic AA=="), ("Content-Type", "application/json"),
        ("X-Rehashed", "1"), ("Accept-Encoding", "gzip"),
    ])
    func `other fields do not prevent compression`(name: String, value: String) async throws {
        #expect(try await codings((name, value)) == [nil, "gzip"])
    }

    @Test func `an option of the request prevents compression`() async throws {
        let layer = try layer()
        var request = try request()
        #expect(request.options.allowsBodyCompression)
        request.options.allowsBodyCompression = false
        _ = try await layer.send(request)
        request.options.allowsBodyCompression = true
        _ = try await layer.send(request)
        #expect(server.requests.map(\.coding) == [nil, "gzip"])
    }

    // A trailer such as `Digest` describes the bytes that are sent, and may be set at their end.
    @Test func `trailers prevent compression`() async throws {
        let layer = try layer()
        var request = try request()
        request.options.trailers = RequestTrailers()
        _ = try await layer.send(request)
        #expect(server.requests.map(\.coding) == [nil])
    }

    @Test func `small bodies are sent as they are`() async throws {
        #expect(try await codings(body: .bytes(Data(count: 1023))) == [nil, nil])
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("deflate, gzip;q=0.5", true), ("gzip;q=0", false), ("gzip; Q=0.0", false),
        ("*", true), ("*;q=0", false), ("*;q=0, gzip", true), ("*, gzip;q=0", false), ("identity", false), ("", false),
        ("gzip;q=x", false), (",,;,", false), ("br", false),
    ])
    func `the field is read with its weights`(value: String, accepts: Bool) {
        #expect(AcceptEncoding(value).accepts("gzip") == accepts)
    }

    @Test func `the table of origins is bounded`() throws {
        let codings = AcceptedCodings(preferring: [.gzip])
        let fields = try HTTPFields(["Accept-Encoding": "gzip"])
        for number in 0..<1000 {
            codings.receive(
                HTTPResponseHead(status: .ok, fields: fields, url: try URL(httpString: "https://h\(number)/")))
        }
        let known = try (0..<1000).count { codings.coding(for: try URL(httpString: "https://h\($0)/")) != nil }
        #expect(known == 256)
        #expect(codings.coding(for: try URL(httpString: "https://h999/")) == .gzip)
    }
}
