import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// No secret in an event, a log line, a curl line, a span, a measurement, a store or an error.
@Suite(.needsSlot) struct SecretsTests {
    private static let secret = "s3cr3t"

    /// A request or a response with a secret in one place.
    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        let request: @Sendable () throws -> HTTPRequest
        var response: @Sendable (HTTPRequest) throws -> HTTPResponse = { $0.response() }
        var testDescription: String { name }
    }

    private static func post(_ type: String, _ body: String) throws -> HTTPRequest {
        try HTTPRequest(.post, "http://h.test/", fields: HTTPFields(["Content-Type": type]), body: .text(body))
    }

    /// A request whose body has credentials, which no name tells.
    private static func login(_ type: String, _ body: String) throws -> HTTPRequest {
        var request = try post(type, body)
        request.options.hasSecretBody = true
        return request
    }

    private static func field(_ name: String, _ value: String) throws -> HTTPRequest {
        try HTTPRequest(.get, "http://h.test/", fields: HTTPFields([name: value]))
    }

    static let places: [Place] = [
        Place(name: "Authorization") { try field("Authorization", "Bearer \(secret)") },
        Place(name: "Cookie") { try field("Cookie", "session=\(secret)") },
        Place(name: "an API key") { try field("X-Api-Key", secret) },
        Place(name: "a URL in a field") { try field("Referer", "http://user:\(secret)@h.test/?token=\(secret)") },
        Place(name: "query") { try HTTPRequest(.get, "http://h.test/?access_token=\(secret)&a=1") },
        Place(name: "encoded query") { try HTTPRequest(.get, "http://h.test/?to%6Ben=\(secret)") },
        Place(name: "key of an entity") { try HTTPRequest(.get, "http://h.test/Sessions('\(secret)')") },
        Place(name: "parameter of a path") { try HTTPRequest(.get, "http://h.test/a;jsessionid=\(secret)/b;x=1") },
        Place(name: "form") { try post("application/x-www-form-urlencoded", "a=1&password=\(secret)") },
        Place(name: "encoded form") { try post("application/x-www-form-urlencoded", "pass%77ord=\(secret)") },
        Place(name: "JSON") { try post("application/json", "{\"a\": 1,\n \"token\":\n \"\(secret)\"}") },
        Place(name: "nested JSON") { try post("application/json", "{\"credentials\": {\"x\": \"\(secret)\"}}") },
        Place(name: "user of a URL in JSON") { try post("application/json", "{\"a\": \"http://b:\(secret)@h.test\"}") },
        Place(name: "XML") { try post("text/xml", "<a><password>\(secret)</password></a>") },
        Place(name: "text with credentials") { try login("text/plain", secret) },
        Place(name: "JSON with credentials") { try login("application/json", "{\"phrase\": \"\(secret)\"}") },
        Place(name: "XML with credentials") { try login("text/xml", "<a><phrase>\(secret)</phrase></a>") },
        Place(name: "Set-Cookie") {
            try HTTPRequest(.get, "http://h.test/")
        } response: {
            $0.response(fields: try HTTPFields(["Set-Cookie": "id=\(secret)"]))
        },
        Place(name: "Location") {
            try HTTPRequest(.get, "http://h.test/")
        } response: { request in
            guard request.url.path != "/next" else { return request.response() }
            return request.response(
                .found, fields: try HTTPFields(["Location": "http://h.test/next?code=\(secret)"]))
        },
        Place(name: "response body") {
            try HTTPRequest(.get, "http://h.test/")
        } response: {
            $0.response(
                fields: try HTTPFields(["Content-Type": "application/json"]),
                body: Data("{\"refresh_token\": \"\(secret)\"}".utf8))
        },
        Place(name: "the error of an app") {
            try HTTPRequest(.get, "http://h.test/?pin=\(secret)")
        } response: { _ in
            throw NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: secret])
        },
        Place(name: "an error of the transport") {
            try HTTPRequest(.get, "http://h.test/?pin=\(secret)")
        } response: { request in
            throw TransportError(.connectionLost, "Connection lost.", request: request, underlying: URLError(.badURL))
        },
    ]

    @Test(arguments: places) func `nothing shows a secret`(_ place: Place) async throws {
        let texts = Mutex<[String]>([])
        @Sendable func add(_ value: Any) {
            var text = "\(value)\n"
            dump(value, to: &text)
            texts.withLock { $0.append(text) }
        }
        let metrics = MemoryMetrics()
        let store = MemoryStore()
        let log = try LogStore(store)
        let monitor = EventMonitor([
            .handler { add($0) }, .log(.body, to: .handler { add($0) }), .spans { add($0) }, .metrics(metrics),
            .store(log),
        ])
        let response = place.response
        let transport = FakeTransport { try response($0) }.observingAttempts(by: monitor).tracing()
            .redirecting().retrying(.immediate).observing(by: monitor)
        let request = try place.request()
        do { _ = try await transport.send(request) } catch { add(error.logDescription) }
        _ = try? await transport.stream(request).body.collect()
        await monitor.flush()
        add(request.curl())
        for series in metrics.all { add(series) }
        for table in ["call_log", "call_log_event"] { add(try store.rows("SELECT * FROM \(table)", [])) }
        let all = texts.withLock(\.self)
        #expect(all.count > 10)
        for text in all { #expect(!text.contains(Self.secret), "\(text)") }
    }
    // MARK: The policy of an app

    private static let policy = Redaction(words: Redaction.standard.words.union(["tan"]))

    private static func get(_ url: String) throws -> HTTPRequest { try HTTPRequest(.get, url) }

    /// Secrets by a word of the app, and one that a credential has added.
    static let appPlaces: [Place] = [
        Place(name: "field") { try field("X-Tan", secret) },
        Place(name: "a field of a credential") {
            var request = try field("X-Parcel", secret)
            request.options.credentialFields = [try HTTPFieldName("X-Parcel")]
            return request
        },
        Place(name: "a URL in a field") { try field("Referer", "http://h.test/?tan=\(secret)") },
        Place(name: "query") { try get("http://h.test/?smsTAN2=\(secret)&a=1") },
        Place(name: "key of an entity") { try get("http://h.test/Tans(guid'\(secret)')") },
        Place(name: "parameter of a path") { try get("http://h.test/a;tan=\(secret)/b;x=1") },
        Place(name: "form") { try post("application/x-www-form-urlencoded", "a=1&t%61n=\(secret)") },
        Place(name: "JSON") { try post("application/json", "{\"a\": 1,\n \"tan\":\n {\"x\": \"\(secret)\"}}") },
        Place(name: "XML") { try post("text/xml", "<a><tan>\(secret)</tan></a>") },
        Place(name: "text with credentials") { try login("text/plain", secret) },
        Place(name: "JSON with credentials") { try login("application/json", "{\"phrase\": \"\(secret)\"}") },
        Place(name: "XML with credentials") { try login("text/xml", "<a><phrase>\(secret)</phrase></a>") },
        Place(name: "Link and a challenge") {
            try get("http://h.test/")
        } response: {
            $0.response(
                fields: try HTTPFields([
                    "Link": "</b?tan=\(secret)>; rel=next; tan=\(secret)",
                    "WWW-Authenticate": "Bearer tan=\"\(secret)\", Negotiate \(secret)",
                ]))
        },
        Place(name: "Location") {
            try get("http://h.test/")
        } response: { request in
            guard request.url.path != "/next" else { return request.response() }
            return request.response(.found, fields: try HTTPFields(["Location": "http://h.test/next?tan=\(secret)"]))
        },
        Place(name: "response body") {
            try get("http://h.test/")
        } response: {
            $0.response(
                fields: try HTTPFields(["Content-Type": "application/json"]),
                body: Data("{\"tan\": \"\(secret)\"}".utf8))
        },
        Place(name: "an error") {
            try get("http://h.test/?tan=\(secret)")
        } response: { request in
            throw TransportError(.connectionLost, "Connection lost.", request: request)
        },
    ]

    @Test(arguments: appPlaces) func `nothing with the app's policy shows a secret of the app`(
        _ place: Place
    ) async throws {
        let texts = Mutex<[String]>([])
        @Sendable func add(_ value: Any) {
            var text = "\(value)\n"
            dump(value, to: &text)
            texts.withLock { $0.append(text) }
        }
        let folder = try TemporaryFolder()
        let archives = ["a.har", "b.har"].map { folder.url.appending(path: $0) }
        let store = MemoryStore()
        let archive = try EventSink.har(archives[1], redaction: Self.policy)
        let monitor = EventMonitor([
            .log(.body, to: .handler { add($0) }, redaction: Self.policy), .spans(redaction: Self.policy) { add($0) },
            .store(try LogStore(store, redaction: Self.policy)),
            .har(try HARWriter(archives[0], redaction: Self.policy)), archive,
        ])
        let response = place.response
        let transport = FakeTransport { try response($0) }.observingAttempts(by: monitor).tracing()
            .redirecting().retrying(.immediate).observing(by: monitor)
        let request = try place.request()
        _ = try? await transport.send(request)
        _ = try? await transport.stream(request).body.collect()
        await monitor.flush()
        add(request.curl(redaction: Self.policy))
        add(try await request.curl(writingBodyTo: folder.url.appending(path: "body"), redaction: Self.policy))
        for file in archives { add(try String(contentsOf: file, encoding: .utf8)) }
        for table in ["call_log", "call_log_event"] { add(try store.rows("SELECT * FROM \(table)", [])) }
        // An entry by itself does not know which field a credential has added.
        if request.options.credentialFields.isEmpty {
            let entry = HAREntry(request, Result { try response(request) }, startedAt: Date())
            add(String(decoding: try JSONEncoder().encode(entry.redacted(Self.policy)), as: UTF8.self))
        }
        let all = texts.withLock(\.self)
        #expect(all.count > 10)
        for text in all { #expect(!text.contains(Self.secret), "\(text)") }
    }
}
