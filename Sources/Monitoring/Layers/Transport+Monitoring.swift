public import HTTPMessages
public import Transport

/// The layers of this module as modifiers, in reading order: each one is wrapped around what stands before it.
///
/// `Documentation/Monitoring.md` says what they report.
extension Transport {
    /// Reports each call to a monitor: put it outside all layers.
    public func observing(by monitor: EventMonitor) -> Observing<Self> { Observing(base: self, monitor: monitor) }

    /// Reports each attempt of a call to a monitor: put it next to the network.
    public func observingAttempts(by monitor: EventMonitor) -> ObservingAttempts<Self> {
        ObservingAttempts(base: self, monitor: monitor)
    }

    /// Adds `traceparent` and `tracestate` to each request: put it next to the network, outside `observingAttempts`.
    /// - Parameters: as those of ``TracingRequests/init(base:origins:isSampled:)``.
    public func tracing(
        at origins: AllowedOrigins? = nil, isSampled: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) -> TracingRequests<Self> {
        TracingRequests(base: self, origins: origins, isSampled: isSampled)
    }
}
