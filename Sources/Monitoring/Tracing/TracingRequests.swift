public import HTTPMessages
public import Transport

/// A layer that adds `traceparent` and `tracestate` to each request (W3C Trace Context).
///
/// ```swift
/// request.options.traceContext = TraceContext(served.fields)  // continues the trace of the request that is served
/// let transport = network.observingAttempts(by: monitor).tracing().redirecting().retrying(.standard)
/// ```
///
/// A call continues the trace of `RequestOptions.traceContext`, or of the field that its request has already; without a
/// valid one a new trace begins. All attempts of an observed call are in one trace, and each has a span ID of its own.
///
/// Put it outside ``ObservingAttempts``, whose spans get these IDs, and inside redirects and retries.
public struct TracingRequests<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The only origins that get the fields; nil for all.
    public let origins: AllowedOrigins?
    private let isSampled: @Sendable (HTTPRequest) -> Bool

    /// Creates a layer over a transport.
    /// - Parameters:
    ///   - origins: the only origins that get the fields. Requests to others lose them, also those that the app has
    ///     set. Default nil: all origins.
    ///   - isSampled: whether a trace that begins with a request is recorded. Asked for each attempt, so it has to give
    ///     the same for all requests of a call: to record a part of all calls at random, decide by
    ///     `request.options.callID`, or begin the trace in `request.options.traceContext`.
    public init(
        base: Base, origins: AllowedOrigins? = nil,
        isSampled: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) {
        self.base = base
        self.origins = origins
        self.isSampled = isSampled
    }

    /// Sends a request with the fields of its trace.
    /// - Throws: the base's errors.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(traced(request), observer: observer)
    }

    private func traced(_ request: HTTPRequest) throws -> HTTPRequest {
        var request = request
        guard origins?.contains(request) ?? true else {
            request.fields.remove(.traceparent)
            request.fields.remove(.tracestate)
            return request
        }
        let parent = request.options.traceContext ?? TraceContext(request.fields)
        let span = parent?.child() ?? begin(request)
        request.options.traceContext = parent
        try request.fields.set(.traceparent, to: span.traceparent)
        if let state = span.state.field {
            try request.fields.set(.tracestate, to: state)
        } else {
            request.fields.remove(.tracestate)
        }
        return request
    }

    /// Begins a trace. The attempts of a call find the same ID, without a memory of it: it follows from the call's.
    private func begin(_ request: HTTPRequest) -> TraceContext {
        let flags: UInt8 = isSampled(request) ? 1 : 0
        guard let id = request.options.callID else { return .begin(isSampled: flags == 1) }
        return TraceContext(
            high: ProcessTrace.high, low: ProcessTrace.low(of: id), spanID: .random(in: 1 ... .max), flags: flags)
    }
}

/// Trace IDs of calls: random for the process, and a permutation of the call's number.
private enum ProcessTrace {
    static let high = UInt64.random(in: 1 ... .max)
    private static let seed = UInt64.random(in: 0 ... .max)

    /// The finalizer of SplitMix64, which maps different numbers to different ones.
    static func low(of id: CallID) -> UInt64 {
        var value = id.rawValue &+ seed
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension TracingRequests: StreamingTransport where Base: StreamingTransport {
    /// Sends a request with the fields of its trace, and streams the response.
    /// - Throws: the base's errors before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await base.stream(traced(request), observer: observer)
    }
}
