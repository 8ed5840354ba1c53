import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct FilesTests {
    private let folder = try? TemporaryFolder()

    private var target: URL {
        get throws { try #require(folder).url.appending(path: "file") }
    }

    @Test func `12: a download that is cut goes on within the call`() async throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        let ranges = Watched<[String?]>([])
        // Each connection ends after 30,000 bytes.
        let server = try LoopbackServer { request -> ServerScript in
            ranges.update { $0.append(request.fields[.range]) }
            let start = request.fields[.range].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
            let head =
                start == 0
                ? "HTTP/1.1 200 OK\r\n"
                : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(start)-99999/100000\r\n"
            let text = head + "ETag: \"v1\"\r\nContent-Length: \(100_000 - start)\r\n\r\n"
            return [.send(text), .send(content[start..<min(start + 30_000, 100_000)]), .close]
        }
        let clock = ManualClock()
        try await server.stopping { server in
            let client = try APIClient(server.url.absoluteString, over: TestTransport.make(), clock: clock)
            let seen = Watched<[Int64]>([])
            let file = try await clock.autoAdvancing {
                try await client.download("file", to: target) { progress in
                    seen.update { $0.append(progress.completed) }
                }
            }
            #expect(try Data(contentsOf: target) == content && file.byteCount == 100_000)
            #expect(ranges.value.count >= 4 && ranges.value[1]?.hasPrefix("bytes=") == true)
            #expect(seen.value.last == 100_000 && seen.value == seen.value.sorted())
        }
    }

    @Test func `12: attempts without a byte are limited, and a status is the client's error`() async throws {
        let transport = ScriptedTransport([], then: .failure(.connectionRefused))
        let clock = ManualClock()
        let client = try APIClient("https://example.com", over: transport, clock: clock)
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await client.download("file", to: target) }
        }
        #expect(error?.code == .connectionRefused && transport.requests.count == 10)
        let gone = try APIClient(
            "https://example.com", over: ScriptedTransport([], then: .text("gone", status: .notFound)))
        let seen = Watched(0)
        let status = await #expect(throws: ServerError<JSONValue>.self) {
            try await gone.download("file", to: target) { _ in seen.update { $0 += 1 } }
        }
        #expect(status?.status == .notFound && status?.bytes == Data("gone".utf8) && seen.value == 0)
        #expect(try #require(folder).names.isEmpty)
    }

    @Test func `12: a response that the client does not accept leaves the file as it was`() async throws {
        try Data("old".utf8).write(to: target)
        let long = String(repeating: "x", count: 3000)
        let transport = ScriptedTransport([.text("<html>")], then: .text("{\"reason\":\"\(long)\"}", status: .conflict))
        let client = try APIClient("https://example.com", over: transport) {
            $0.validation = .standard.requiring(.json)
        }
        let error = await #expect(throws: ResponseDecodingError.self) { try await client.download("file", to: target) }
        #expect(error?.code == .unacceptableMediaType)
        let fault = await #expect(throws: ServerError<JSONValue>.self) { try await client.download("file", to: target) }
        #expect(fault?.body?["reason"] == .string(long))
        #expect(try Data(contentsOf: target) == Data("old".utf8) && #require(folder).names == ["file"])
    }

    @Test func `12: a body that fails before its first byte is no empty file`() async throws {
        try Data("old".utf8).write(to: target)
        let page = try HTTPFields(["Content-Type": "text/html"])
        let transport = StreamScript(Array(repeating: (.ok, page, Data(), true), count: 20))
        let clock = ManualClock()
        let client = try APIClient("https://example.com", over: transport, clock: clock) {
            $0.validation = .standard.requiring(.json)
        }
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await client.download("file", to: target) }
        }
        #expect(error?.code == .connectionLost)
        #expect(try Data(contentsOf: target) == Data("old".utf8) && #require(folder).names == ["file"])
    }

    @Test(arguments: [true, false]) func `12: a part of the file needs no media type`(isRefused: Bool) async throws {
        let full = try HTTPFields(["Content-Type": "application/json", "ETag": "\"1\"", "Content-Length": "10"])
        let transport = StreamScript(
            isRefused
                ? [
                    (.ok, full, Data("01234".utf8), true),
                    (.rangeNotSatisfiable, try HTTPFields(["Content-Type": "text/html"]), Data("<html>".utf8), false),
                    (.ok, full, Data("0123456789".utf8), false),
                ]
                : [
                    (.ok, full, Data("01234".utf8), true),
                    (.partialContent, try HTTPFields(["Content-Range": "bytes 5-9/10"]), Data("56789".utf8), false),
                ])
        let clock = ManualClock()
        let client = try APIClient("https://example.com", over: transport, clock: clock) {
            $0.validation = .standard.requiring(.json)
        }
        let file = try await clock.autoAdvancing { try await client.download("file", to: target) }
        #expect(file.byteCount == 10)
        #expect(try Data(contentsOf: target) == Data("0123456789".utf8) && #require(folder).names == ["file"])
    }

    @Test func `12: a POST is not sent again, and attempts of a retrying layer count`() async throws {
        let transport = ScriptedTransport([], then: .failure(.connectionLost))
        let clock = ManualClock()
        var options = DownloadOptions(maximumAttempts: 3)
        let post = try HTTPRequest(.post, "https://example.com/a")
        await #expect(throws: TransportError.self) { try await transport.download(post, to: target, options: options) }
        #expect(transport.requests.count == 1)
        options = .retrying
        let client = try APIClient("https://example.com", over: .standard(over: transport, clock: clock))
        await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await client.download("file", to: target) }
        }
        #expect(transport.requests.count == 13)
    }

    @Test func `12: the total timeout spans all attempts of a download`() async throws {
        let transport = ScriptedTransport([], then: .failure(.connectionLost))
        let clock = ManualClock()
        let client = try APIClient("https://example.com", over: transport, clock: clock)
        let start = clock.now
        await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await client.download("file", to: target, timeout: .seconds(1)) }
        }
        #expect(start.duration(to: clock.now) <= .seconds(1) && transport.requests.count == 3)
    }

    @Test func `2: a file is uploaded`() async throws {
        try Data("content".utf8).write(to: target)
        let transport = ScriptedTransport { request in
            request.response(text: String(decoding: try await request.body.collect(upTo: 100), as: UTF8.self))
        }
        let client = try APIClient("https://example.com", over: transport)
        let echo: String = try await client.upload(target, to: "files/1", mediaType: .plainText)
        #expect(echo == "content" && transport.requests.first?.method == .put)
        #expect(transport.requests.first?.fields[.contentType] == "text/plain;charset=utf-8")
    }
}

/// A transport that streams responses one after the other; some of them lose the connection at the end of their bytes.
private struct StreamScript: StreamingTransport {
    typealias Response = (status: HTTPStatus, fields: HTTPFields, body: Data, isCut: Bool)

    let responses: Watched<[Response]>

    init(_ responses: [Response]) { self.responses = Watched(responses) }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        throw TransportError(.unsupported, "Only streams.", request: request)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        let next = responses.update { $0.isEmpty ? nil : $0.removeFirst() }
        guard let next else { throw TransportError(.unsupported, "No further response.", request: request) }
        let body = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(next.body)
            continuation.finish(
                throwing: next.isCut ? TransportError(.connectionLost, "Cut.", request: request) : nil)
        }
        let head = HTTPResponseHead(status: next.status, fields: next.fields, url: request.url)
        return HTTPResponseStream(head: head, body: body)
    }
}
