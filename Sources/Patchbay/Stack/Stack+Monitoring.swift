public import HTTPMessages
public import Monitoring
import Transport

extension Stack {
    /// Reports the calls through the stack, and their attempts, to a monitor.
    ///
    /// A second monitor is added; the same one twice counts each request once. Calls are observed outside all layers of
    /// the app, attempts next to the network.
    public func observing(by monitor: EventMonitor) -> Stack {
        adding(.observingAttempts) { base, _ in AnyTransport(base.observingAttempts(by: monitor)) }
            .adding(.observing) { base, _ in AnyTransport(base.observing(by: monitor)) }
    }

    /// Adds `traceparent` and `tracestate` to each request; see `TracingRequests`.
    /// - Parameters:
    ///   - origins: the only origins that get the fields; `.baseURL` is that of the client. Default nil: all.
    ///   - isSampled: whether a trace that begins with a request is recorded.
    public func tracing(
        at origins: AllowedOrigins? = nil, isSampled: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) -> Stack {
        replacing(.tracing) { base, _ in AnyTransport(base.tracing(at: origins, isSampled: isSampled)) }
    }
}
