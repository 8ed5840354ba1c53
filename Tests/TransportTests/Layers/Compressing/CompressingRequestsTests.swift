import Foundation
import HTTPMessages
import Synchronization
import SystemLibraries
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

    private func codings(_ fields: (String, String)..., body: HTTPBody? = nil) async throws -> [String?] {
        server.accepted.withLock { $0 = "gzip" }
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        _ = try await layer.send(try request())
        var second = try request(body)
        for (name, value) in fields { try second.fields.set(name, to: value) }
        _ = try await layer.send(second)
        return server.requests.map(\.coding)
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
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        layer.codings.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip"]),
                url: try URL(httpString: "https://h/")))
        _ = try await layer.send(try request())
        _ = try await layer.send(try request())
        #expect(server.requests.map(\.coding) == [nil, "gzip", "gzip", nil])
    }

    // RFC 9110, section 15.5.16.
    @Test func `a request refused for its coding is sent again without it`() async throws {
        server.refused.withLock { $0 = ["gzip"] }
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        layer.codings.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip"]),
                url: try URL(httpString: "https://h/")))
        #expect(try await layer.send(try request()).head.status == .ok)
        #expect(server.requests.map(\.coding) == ["gzip", nil])
        #expect(server.requests[1].bytes == text.count)
        _ = try await layer.send(try request())
        #expect(server.requests.map(\.coding) == ["gzip", nil, nil])
    }

    @Test func `a stream that was refused is not sent again`() async throws {
        server.refused.withLock { $0 = ["gzip"] }
        let layer = server.transport.compressingRequests(AcceptedCodings(preferring: [.gzip]))
        layer.codings.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip"]),
                url: try URL(httpString: "https://h/")))
        let stream = HTTPBody.stream(HTTPBody.bytes(text).chunks())
        #expect(try await layer.send(try request(stream)).head.status == .unsupportedMediaType)
        #expect(server.requests.map(\.coding) == ["gzip"])
    }

    @Test(arguments: [
        ("Content-Encoding", "br"), ("Content-Range", "bytes 0-1/2"), ("Content-Digest", "sha-256=:AA==:"),
        ("Content-Type", "image/png"), ("Content-Type", "video/mp4"), ("Content-Type", "application/zip"),
    ])
    func `bodies that are compressed or described already are sent as they are`(name: String, value: String)
        async throws
    {
        let codings = try await codings((name, value))
        #expect(codings == [nil, name == "Content-Encoding" ? value : nil])
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

    // MARK: Zstandard

    private typealias Decompress =
        @convention(c) (UnsafeMutableRawPointer, Int, UnsafeRawPointer, Int) -> Int

    private func decompressed(_ data: Data, count: Int) throws -> Data {
        let decompress = try DynamicLibrary("libzstd.so.1").function("ZSTD_decompress", as: Decompress.self)
        var output = Data(count: count + 1)
        let made = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                guard let target = output.baseAddress, let source = input.baseAddress else { return -1 }
                return decompress(target, output.count, source, input.count)
            }
        }
        try #require((0...count).contains(made))
        return output.prefix(made)
    }

    @Test(
        .enabled(if: ContentCoding.zstd.isAvailable, "libzstd is not installed."), arguments: [0, 1, 1000, 3_000_000])
    func `zstd is decoded by the system's library`(count: Int) async throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 ^ ($0 >> 9)) })
        let bodies: [HTTPBody] = [
            .bytes(data), .sequence([.bytes(data.prefix(count / 2)), .bytes(data.dropFirst(count / 2))]),
            .stream(HTTPBody.bytes(data).chunks(of: 1000)),
        ]
        for body in bodies {
            let encoded = try await ContentCoding.zstd.encode(body).collect()
            #expect(try decompressed(encoded, count: count) == data)
            #expect(count <= 1000 || encoded.count < count)
        }
    }

    @Test(.enabled(if: ContentCoding.zstd.isAvailable, "libzstd is not installed."))
    func `zstd is preferred where both are accepted`() throws {
        let codings = AcceptedCodings()
        codings.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip, zstd"]),
                url: try URL(httpString: "https://h/")))
        #expect(codings.coding(for: try URL(httpString: "https://h/")) == .zstd)
    }
}
