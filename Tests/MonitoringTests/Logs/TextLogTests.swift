import Authentication
import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 4: lines of text by level.
@Suite(.needsSlot) struct TextLogTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[LogLine]>([])
        var output: LogOutput { .handler { line in self.lines.withLock { $0.append(line) } } }
        /// The lines without the ID of the call, and with `T` for each time.
        var texts: [String] {
            lines.withLock(\.self).map { line in
                line.text.replacing("\(line.call) ", with: "").replacing(/[0-9.]+ ms/, with: "T")
            }
        }
        var all: [LogLine] { lines.withLock(\.self) }
    }

    private let lines = Lines()

    private func log(_ level: LogLevel, redaction: Redaction = .standard, _ transport: FakeTransport) async throws {
        let monitor = EventMonitor([.log(level, to: lines.output, redaction: redaction)])
        var request = try HTTPRequest(
            .post, "https://api.test/items?token=abc&page=2",
            fields: HTTPFields(["Content-Type": "application/json", "Authorization": "Bearer abc"]),
            body: .text("{\"password\": \"abc\",\n \"name\": \"x\"}"))
        request.options.timeouts = Timeouts()
        _ = try? await transport.observingAttempts(by: monitor).redirecting().observing(by: monitor).send(request)
        await monitor.flush()
    }

    @Test func `off writes nothing`() async throws {
        try await log(.off, fake(200))
        #expect(lines.all.isEmpty)
    }

    @Test func `basic writes start, steps and end`() async throws {
        try await log(.basic, fake(302, 404))
        #expect(
            lines.texts == [
                "> POST https://api.test/items?token=<redacted>&page=2",
                "+T redirect: 302 Found to https://api.test/next/items",
                "< 404 Not Found, 5 bytes in T",
            ])
        #expect(lines.all.map(\.severity) == [.info, .notice, .error])
    }

    @Test func `basic has a line for each step of a layer, and none for the events of an attempt`() throws {
        struct OwnEvent: LayerEvent { var description: String { "own step" } }
        let request = try HTTPRequest(.get, "https://api.test/")
        let call = ObservedCall(id: CallID(rawValue: 1), request: request, date: Date())
        let kinds: [CallEvent.Kind] = [
            .credential(CredentialEvent(wait: .zero, isObtained: false)), .coalesced, .cache(.storageFailed("full")),
            .layer(OwnEvent()), .challenge(.unauthorized), .queued(length: 1), .resolved, .body(1, total: nil),
            .attempt(ObservedAttempt(1, of: call)),
        ]
        let log = TextLog(level: .basic, output: lines.output, redaction: .standard)
        for kind in kinds { log.receive(CallEvent(kind, of: call, time: .zero)) }
        #expect(lines.all.map(\.severity) == [.info, .info, .info, .info, .notice])
        #expect(lines.texts.dropFirst(2).prefix(2) == ["+T cache failed: full", "+T own step"])
    }

    @Test func `headers writes the fields of attempts and responses`() async throws {
        try await log(.headers, fake(200))
        let texts = lines.texts
        #expect(
            texts.contains(
                "+T attempt 1 (initial): POST https://api.test/items?token=<redacted>&page=2 "
                    + "Content-Type: application/json; Authorization: <redacted>;"), "\(texts)")
        #expect(texts.contains { $0.hasPrefix("+T 200 OK from https://api.test/items?token=<redacted>") })
        #expect(texts.last == "< 200 OK, 5 bytes in T")
    }

    @Test func `body writes the first bytes of texts, on one line`() async throws {
        try await log(.body(maximumBytes: 4), fake(200))
        #expect(lines.texts.last == "< 200 OK, 5 bytes in T [hell…]")
        #expect(lines.texts.first?.hasSuffix("[{\"pa…]") == true)
    }

    @Test func `a body that is not text is counted only`() async throws {
        let binary = FakeTransport { $0.response(body: Data([0, 1, 2])) }
        try await log(.body, binary)
        #expect(lines.texts.last == "< 200 OK, 3 bytes in T [3 bytes, not text]")
        #expect(lines.texts.first?.hasSuffix("[{\"password\": <redacted>, \"name\": \"x\"}]") == true)
    }

    @Test func `the app's own words are secret in URLs, fields, errors and bodies`() async throws {
        let words = Redaction(words: Redaction.standard.words.union(["page", "name"]))
        try await log(.body, redaction: words, fake(200))
        let text = lines.texts.joined(separator: "\n")
        #expect(text.contains("page=<redacted>") && text.contains("\"name\": <redacted>"))
        let failing = FakeTransport { _ in throw TransportError(.timedOut, "Timed out: https://h/?page=77") }
        try await log(.basic, redaction: words, failing)
        #expect(lines.texts.last?.contains("77") == false)
    }

    @Test func `a server cannot break lines or add control characters`() async throws {
        let hostile = FakeTransport { request in
            var response = request.response(body: Data("a\nb\u{1B}[31m\rc".utf8))
            try response.head.fields.append("X-Text", "\u{85}red\u{2028}line")
            return response
        }
        try await log(.body, hostile)
        for line in lines.all {
            #expect(line.text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace || $0 == " " }, "\(line)")
            #expect(!line.text.contains("\u{1B}"))
        }
    }

    @Test func `lines are written to a file, one by one`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let monitor = EventMonitor([.log(to: .file(try FileHandle(forWritingTo: file)))])
        _ = try await fake(200).observing(by: monitor).send(HTTPRequest(.get, "http://h.test/"))
        await monitor.flush()
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[0].hasSuffix("> GET http://h.test/") && lines[2].isEmpty)
        for line in lines.dropLast() {
            #expect(line.prefixMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info /#) != nil, "\(line)")
        }
    }

    @Test func `the code of a server's error is shown`() async throws {
        let failing = FakeTransport { request in
            request.response(
                .conflict, fields: try HTTPFields(["Content-Type": "application/json"]),
                body: Data("{\"error\":{\"code\":\"sold_out\",\"token\":\"abc\"}}".utf8))
        }
        try await log(.body, failing)
        let end = lines.texts.last ?? ""
        #expect(end.hasSuffix("[{\"error\":{\"code\":\"sold_out\",\"token\":<redacted>}}]"), "\(end)")
    }

    @Test func `the field of a credential is secret regardless of its name`() async throws {
        let monitor = EventMonitor([.log(.headers, to: lines.output)])
        let transport = try fake(200).observingAttempts(by: monitor)
            .authorizing(with: .apiKey("k-4711", in: .field("X-Parcel")), at: AllowedOrigins("https://api.test"))
            .observing(by: monitor)
        _ = try await transport.send(HTTPRequest(.get, "https://api.test/items"))
        await monitor.flush()
        let texts = lines.texts.joined(separator: "\n")
        #expect(texts.contains("X-Parcel: <redacted>") && !texts.contains("k-4711"), "\(texts)")
    }

    @Test func `errors of other types show no texts`() async throws {
        let failing = FakeTransport { _ in
            throw NSError(domain: "app", code: 7, userInfo: [NSLocalizedDescriptionKey: "token is abc"])
        }
        try await log(.body, failing)
        #expect(lines.texts.last?.contains("app 7") == true && lines.texts.last?.contains("abc") == false)
    }
}
