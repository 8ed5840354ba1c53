import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Behavior 6: traces of calls, and spans of attempts.
@Suite(.needsSlot) struct TracingTests {
    private let base = RecordingTransport(base: fake(302, 503, 200))
    private let parent = TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    @Test func `all attempts of a call are in one trace, each with a span of its own`() async throws {
        let monitor = EventMonitor([])
        let transport = base.observingAttempts(by: monitor).tracing().redirecting().retrying(.immediate)
            .observing(by: monitor)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        let contexts = base.exchanges.compactMap { TraceContext($0.request.fields) }
        #expect(contexts.count == 3 && Set(contexts.map(\.traceID)).count == 1)
        #expect(Set(contexts.map(\.spanID)).count == 3)
    }

    @Test func `a trace is continued from the options or from the field, with its state`() async throws {
        let transport = base.tracing()
        var request = try HTTPRequest(.get, "http://patchbay.test/")
        request.options.traceContext = TraceContext(
            traceparent: try #require(parent).traceparent, tracestate: "vendor=1")
        _ = try await transport.send(request)
        request.options.traceContext = nil
        try request.fields.set(.traceparent, to: try #require(parent).traceparent)
        _ = try await transport.send(request)
        let sent = base.exchanges.map(\.request.fields)
        #expect(sent.compactMap { TraceContext($0)?.traceID } == [parent?.traceID, parent?.traceID])
        #expect(sent[0][.tracestate] == "vendor=1" && sent[1][.tracestate] == nil)
        #expect(sent.allSatisfy { TraceContext($0)?.spanID != parent?.spanID })
    }

    @Test func `an invalid field begins a new trace, and its state is dropped`() async throws {
        var request = try HTTPRequest(.get, "http://patchbay.test/")
        request.fields["traceparent"] = "00-zz"
        request.fields["tracestate"] = "vendor=1"
        _ = try await base.tracing().send(request)
        let sent = base.exchanges[0].request.fields
        #expect(TraceContext(sent) != nil && sent[.tracestate] == nil)
    }

    @Test func `other origins get no trace, also none of the app`() async throws {
        let transport = base.tracing(at: try AllowedOrigins("https://mine.test"))
        var request = try HTTPRequest(.get, "http://patchbay.test/")
        request.fields["traceparent"] = parent?.traceparent
        request.fields["tracestate"] = "vendor=1"
        _ = try await transport.send(request)
        #expect(base.exchanges[0].request.fields.isEmpty)
        _ = try await transport.send(HTTPRequest(.get, "https://mine.test/"))
        #expect(TraceContext(base.exchanges[1].request.fields) != nil)
    }

    @Test func `spans have the stable names of OpenTelemetry, and the IDs that were sent`() async throws {
        let spans = Mutex<[CallSpan]>([])
        let monitor = EventMonitor([.spans { span in spans.withLock { $0.append(span) } }])
        let transport = base.observingAttempts(by: monitor).tracing().redirecting().retrying(.immediate)
            .observing(by: monitor)
        var request = try HTTPRequest(.get, "http://patchbay.test:8080/items/7?sig=abc")
        request.options.traceContext = parent
        request.options.urlTemplate = "/items/{id}"
        _ = try await transport.send(request)
        await monitor.flush()
        let all = spans.withLock(\.self)
        #expect(all.map(\.name) == Array(repeating: "GET /items/{id}", count: 3))
        #expect(all.allSatisfy { $0.parentSpanID == parent?.spanID && $0.context?.traceID == parent?.traceID })
        #expect(all.map { $0.context?.spanID } == base.exchanges.map { TraceContext($0.request.fields)?.spanID })
        #expect(
            all[0].attributes == [
                "http.request.method": .string("GET"), "server.address": .string("patchbay.test"),
                "server.port": .int(8080), "url.scheme": .string("http"), "url.template": .string("/items/{id}"),
                "url.full": .string("http://patchbay.test:8080/items/7?sig=<redacted>"),
                "http.response.status_code": .int(302),
            ])
        #expect(all[1].attributes["http.request.resend_count"] == .int(1))
        #expect(all[1].attributes["error.type"] == .string("503") && all[1].isError && !all[2].isError)
        #expect(all[2].attributes["http.request.resend_count"] == .int(2))
    }

    @Test func `a trace that is not sampled has no spans`() async throws {
        let spans = Mutex(0)
        let monitor = EventMonitor([.spans { _ in spans.withLock { $0 += 1 } }])
        let transport = base.observingAttempts(by: monitor).tracing { _ in false }.observing(by: monitor)
        _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
        await monitor.flush()
        #expect(spans.withLock(\.self) == 0 && TraceContext(base.exchanges[0].request.fields)?.isSampled == false)
    }

    @Test func `a method that the conventions do not name is another one`() async throws {
        let spans = Mutex<[CallSpan]>([])
        let monitor = EventMonitor([.spans { span in spans.withLock { $0.append(span) } }])
        let transport = fake(200).observingAttempts(by: monitor)
        _ = try await transport.send(HTTPRequest(HTTPMethod("PURGE"), "http://patchbay.test/"))
        await monitor.flush()
        let span = try #require(all(spans).first)
        #expect(span.name == "HTTP" && span.context == nil)
        #expect(span.attributes["http.request.method"] == .string("_OTHER"))
        #expect(span.attributes["http.request.method_original"] == .string("PURGE"))
    }

    @Test(arguments: [
        (TransportError.Code.timedOut, "timedOut"), (.connectionRefused, "connectionRefused"), (.tls, "tls"),
    ])
    func `error types are names of codes`(_ code: TransportError.Code, _ name: String) {
        let end = ObservedEnd(.failed(TransportError(code, "x")), duration: .zero)
        #expect(end.errorType == name)
    }

    private func all(_ spans: borrowing Mutex<[CallSpan]>) -> [CallSpan] { spans.withLock(\.self) }

    /// The keys whose values OpenTelemetry's registry redacts in `url.full`.
    @Test(arguments: [
        "AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature", "X-Amz-Signature", "X-Amz-Credential",
        "X-Amz-Security-Token",
    ])
    func `the keys of the registry are redacted`(_ key: String) throws {
        let url = try #require(URL(string: "https://h.test/?a=1&\(key)=abc"))
        #expect(Redaction.standard.redacted(url) == "https://h.test/?a=1&\(key)=<redacted>")
    }
}
