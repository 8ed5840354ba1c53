import HTTPMessages

extension TransportError: ReconnectableError {
    /// True unless the request or the response itself caused the failure.
    package var permitsReconnection: Bool {
        switch code {
        case .connectionRefused, .hostNotFound, .unreachable, .timedOut, .connectionLost, .truncated, .proxy, .unknown:
            true
        case .tls: tlsFailure == nil || tlsFailure == .handshake
        default: false
        }
    }
}
