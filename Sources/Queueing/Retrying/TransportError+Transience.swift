import HTTPMessages
public import Transport

extension TransportError {
    /// True if the same request may succeed a little later.
    ///
    /// False for failures that the request or response caused itself (`unsupported`, `responseTooLarge`, an untrusted
    /// certificate), for the total timeout, and for a cancellation.
    public var isTransient: Bool {
        switch code {
        case .connectionRefused, .hostNotFound, .unreachable, .connectionLost, .truncated, .proxy, .unknown:
            true
        case .timedOut: phase != .total
        case .tls: tlsFailure == nil || tlsFailure == .handshake
        default: false
        }
    }
}
