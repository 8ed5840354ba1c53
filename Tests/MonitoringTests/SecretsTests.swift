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
        Place(name: "XML") { try post("text/xml", "<a><password>\(secret)</password></a>") },
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
}
