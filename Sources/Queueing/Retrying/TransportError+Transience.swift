import HTTPMessages
public import Transport

extension TransportError {
    /// True when the same request may well succeed a little later.
    ///
    /// Not so for what the request or the response itself brought about, such as `unsupported`, `responseTooLarge` or a
    /// certificate that is not trusted; nor when the whole request's deadline has passed, nor for a cancellation. An open
    /// circuit (`circuitOpen`) is there to fail fast, and ``Transport/TransportError/retryAfter`` tells when it closes.
    public var isTransient: Bool {
        switch code {
        case .connectionRefused, .hostNotFound, .unreachable, .connectionLost, .truncated, .proxy, .unknown:
            true
        case .timedOut: phase != .total && phase != .turn
        case .tls: tlsFailure == nil || tlsFailure == .handshake
        default: false
        }
    }
}
