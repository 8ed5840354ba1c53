import Authentication
import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behaviors 8 and 12: the archives of a monitor and of a log store.
@Suite(.needsSlot) struct HARSinkTests {
    private let folder = Result { try TemporaryFolder() }

    private func file() throws -> URL { try folder.get().url.appending(path: "calls.har") }

    private func entries() throws -> [HAREntry] {
        var reader = try HARReader(file())
        var entries: [HAREntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    private func request() throws -> HTTPRequest {
        try HTTPRequest(
            .post, "http://patchbay.test/items?token=abcdefgh",
            fields: HTTPFields(["Authorization": "Bearer abcdefgh"]),
            body: .text("name=Ada"))
    }

    @Test func `each attempt is an entry if attempts are observed`() async throws {
        let writer = try HARWriter(file())
        let monitor = EventMonitor([.har(writer)])
        let transport = fake(503, 200).observingAttempts(by: monitor).retrying(.immediate).observing(by: monitor)
        _ = try await transport.send(request())
        await monitor.flush()
        try writer.close()
        let entries = try entries()
        #expect(entries.map(\.response.status) == [503, 200] && writer.lastFailure == nil)
        for entry in entries {
            #expect(entry.request.url == "http://patchbay.test/items?token=<redacted>")
            #expect(entry.request.headers == [HARPair("Authorization", "<redacted>")])
            #expect(entry.request.postData?.text == "name=Ada" && entry.response.content.text == "hello")
        }
        #expect(try String(contentsOf: file(), encoding: .utf8).contains("abcdefgh") == false)
    }

    @Test func `the field of a credential is secret regardless of its name`() async throws {
        let writer = try HARWriter(file())
        let monitor = EventMonitor([.har(writer)])
        let transport = try fake(200).observingAttempts(by: monitor)
            .authorizing(with: .apiKey("k-4711", in: .field("X-Parcel")), at: AllowedOrigins("http://patchbay.test"))
            .observing(by: monitor)
        _ = try await transport.send(request())
        await monitor.flush()
        try writer.close()
        #expect(try entries().first?.request.headers.contains(HARPair("X-Parcel", "<redacted>")) == true)
        #expect(try String(contentsOf: file(), encoding: .utf8).contains("k-4711") == false)
    }

    private static let login = #"{"password":"hunter22","note":"\#(String(repeating: "x", count: 2000))"}"#

    /// The second request is compressed: the first response names the coding.
    private func sendCompressed(_ coding: ContentCoding) async throws {
        let writer = try HARWriter(file())
        let monitor = EventMonitor([.har(writer)])
        let base = FakeTransport { $0.response(fields: try HTTPFields(["Accept-Encoding": coding.name])) }
        let transport = base.observingAttempts(by: monitor)
            .compressingRequests(AcceptedCodings(preferring: [coding])).observing(by: monitor)
        for _ in 0..<2 {
            _ = try await transport.send(
                HTTPRequest(
                    .post, "http://patchbay.test/login", fields: HTTPFields(["Content-Type": "application/json"]),
                    body: .text(Self.login)))
        }
        await monitor.flush()
        try writer.close()
    }

    @Test func `a compressed body is decoded, so that its secrets are found`() async throws {
        try await sendCompressed(.gzip)
        let bodies = try entries().map(\.request.postData)
        let expected = Self.login.replacing("hunter22", with: "<redacted>")
        #expect(bodies.map { $0?.text } == [expected, expected])
        #expect(bodies.map { $0?.comment } == [nil, "Decoded; it was sent as gzip."])
        // What is read has no coding any more.
        let read = try entries()[1].request.httpRequest()
        #expect(try await read.body.collect() == Data(expected.utf8) && !read.fields.contains(.contentEncoding))
    }

    @Test(.enabled(if: ContentCoding.zstd.isAvailable, "There is no libzstd."))
    func `a body of a coding that cannot be decoded is left out`() async throws {
        try await sendCompressed(.zstd)
        let body = try #require(try entries()[1].request.postData)
        #expect(body.text == nil && body.comment == "Left out, since it cannot be decoded: zstd.")
    }

    @Test func `a compressed body in an entry from elsewhere is decoded too, also of a response`() throws {
        let zipped = try ContentCoding.gzip.encode(.text(Self.login)).makeReader()
        let text = try #require(try zipped?.read(atMost: 1 << 20)).base64EncodedString()
        var entry = try HAREntry(
            request(), .success(HTTPResponse(status: .ok, url: request().url)), startedAt: Date())
        entry.request.headers.append(HARPair("Content-Encoding", "identity, x-gzip"))
        entry.request.postData = HARPostData(mimeType: "application/json", text: text)
        entry.request.postData?.encoding = "base64"
        entry.response.headers.append(HARPair("content-encoding", "gzip"))
        entry.response.content = HARContent(size: 0, mimeType: "application/json", text: text, encoding: "base64")
        let clean = entry.redacted()
        let expected = Self.login.replacing("hunter22", with: "<redacted>")
        #expect(clean.request.postData?.text == expected && clean.response.content.text == expected)
        // A response that is decoded already, such as of a browser's archive, stays.
        entry.response.content.text = Data([0xFF, 0]).base64EncodedString()
        entry.request.postData?.text = entry.response.content.text
        #expect(entry.redacted().response.content.text == entry.response.content.text)
        #expect(entry.redacted().request.postData?.text == nil)
    }

    @Test func `a call is one entry with its earlier attempts if only calls are observed`() async throws {
        let writer = try HARWriter(file())
        let monitor = EventMonitor([.har(writer)])
        _ = try await fake(503, 200).retrying(.immediate).observing(by: monitor).send(request())
        _ = try? await ScriptedTransport([.failure(.connectionLost)]).observing(by: monitor).send(request())
        await monitor.flush()
        let entries = try entries()
        #expect(entries.map(\.response.status) == [200, 0])
        #expect(entries[0].attempts.map(\.status) == [503] && entries[1].response.error != nil)
    }

    @Test func `a file that cannot be written disturbs no call`() async throws {
        let writer = try HARWriter(file())
        try writer.close()
        let monitor = EventMonitor([.har(writer)])
        #expect(try await fake(200).observing(by: monitor).send(request()).status == .ok)
        await monitor.flush()
        #expect(writer.lastFailure?.code == .closed)
        let other = try HARWriter(file())
        #expect(throws: HARError.self) { try EventSink.har(file()) }
        try other.close()
    }

    @Test func `the phases of a transfer are those of the archive`() {
        let metrics = TransferMetrics(
            resolved: .milliseconds(5), connected: .milliseconds(15), secured: .milliseconds(35),
            sent: .milliseconds(36), firstByte: .milliseconds(56), total: .milliseconds(100))
        let timings = HARTimings(metrics, within: .milliseconds(130))
        #expect(
            timings
                == HARTimings(
                    blocked: .milliseconds(30), dns: .milliseconds(5), connect: .milliseconds(30),
                    ssl: .milliseconds(20), send: .milliseconds(1), wait: .milliseconds(20),
                    receive: .milliseconds(44)))
        #expect(timings.sum == .milliseconds(130))
        let reused = HARTimings(
            TransferMetrics(firstByte: .milliseconds(7), total: .milliseconds(9)), within: .milliseconds(9))
        #expect(reused.wait == .milliseconds(7) && reused.receive == .milliseconds(2) && reused.connect == nil)
        #expect(HARTimings(nil, within: .milliseconds(3)) == .total(.milliseconds(3)))
    }

    @Test func `the calls of a log store are exported in order`() async throws {
        let log = try LogStore(MemoryStore())
        let monitor = EventMonitor([.store(log)])
        _ = try await fake(200).observing(by: monitor).send(request())
        _ = try? await ScriptedTransport([.failure(.connectionLost)]).observing(by: monitor).send(request())
        await monitor.flush()
        let writer = try HARWriter(file())
        try log.export(to: writer)
        try writer.close()
        let entries = try entries()
        #expect(entries.map(\.response.status) == [200, 0])
        let first = try #require(entries.first)
        #expect(first.request.method == "POST" && first.request.url == "http://patchbay.test/items?token=<redacted>")
        #expect(first.request.postData?.text == "name=Ada" && first.response.content.text == "hello")
        #expect(first.request.headers == [HARPair("Authorization", "<redacted>")])
        #expect(entries[1].response.error?.contains("connectionLost") == true)
        #expect(try first.exchange() != nil)
    }
}
