import Foundation
public import HTTPMessages
import ServiceContextModule
public import Tracing
public import Transport

/// A layer that makes a span of swift-distributed-tracing for each request, and adds its context to the fields.
///
/// Put it next to the network, in place of `tracing()`: the tracer chooses the IDs and the fields. The span of a
/// streamed response ends with its head.
public struct SpanningRequests<Base: Transport, T: Tracer>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The tracer.
    public let tracer: T

    /// Creates a layer over a transport.
    public init(base: Base, tracer: T) {
        self.base = base
        self.tracer = tracer
    }

    /// Sends a request in a span.
    /// - Throws: the base's errors.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await spanned(request) {
            try await base.send($0, observer: observer)
        } head: {
            $0.head
        }
    }

    private func spanned<Response: Sendable>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response, head: (Response) -> HTTPResponseHead
    ) async throws -> Response {
        var request = request
        let span = tracer.startSpan(request.method.name, ofKind: .client)
        defer { span.end() }
        tracer.inject(span.context, into: &request.fields, using: FieldInjector())
        span.attributes["http.request.method"] = request.method.name
        span.attributes["server.address"] = request.url.host() ?? ""
        span.attributes["server.port"] = request.url.port ?? (request.url.scheme == "https" ? 443 : 80)
        span.attributes["url.full"] = Redaction.standard.redacted(request.url)
        if request.options.attemptReason != .initial {
            span.attributes["patchbay.attempt.reason"] = request.options.attemptReason.name
        }
        do {
            let response = try await send(request)
            let status = head(response).status.code
            span.attributes["http.response.status_code"] = status
            if status >= 400 {
                span.attributes["error.type"] = "\(status)"
                span.setStatus(SpanStatus(code: .error))
            }
            return response
        } catch {
            span.attributes["error.type"] = (error as? TransportError)?.code.name ?? "\(type(of: error))"
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}

extension SpanningRequests: StreamingTransport where Base: StreamingTransport {
    /// Sends a request in a span, which ends with the head of the response.
    /// - Throws: the base's errors before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await spanned(request) {
            try await base.stream($0, observer: observer)
        } head: {
            $0.head
        }
    }
}

extension Transport {
    /// Makes a span for each request: put it next to the network.
    public func spanning<T: Tracer>(by tracer: T) -> SpanningRequests<Self, T> {
        SpanningRequests(base: self, tracer: tracer)
    }
}

/// Adds the context of a span to the fields of a request.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) { try? fields.set(key, to: value) }
}
