import HTTPMessages
public import Transport

extension TransportError {
    /// True if the same request may succeed a little later.
    ///
    /// False for failures that the request or response caused itself (`unsupported`, `responseTooLarge`, an untrusted
    /// certificate), for the total timeout, for a cancellation, and for an open circuit (`circuitOpen`), which fails
    /// fast; ``Transport/TransportError/retryAfter`` tells when it closes.
    public var isTransient: Bool {
        switch code {
        case .connectionRefused, .hostNotFound, .unreachable, .connectionLost, .truncated, .proxy, .unknown:
            true
        case .timedOut: phase != .total && phase != .queue
        case .tls: tlsFailure == nil || tlsFailure == .handshake
        default: false
        }
    }
}
