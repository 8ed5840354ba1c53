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

    /// True if the error tells that the server fails: a transient one, or a timeout, also the total one.
    ///
    /// A request that got no connection slot of its own engine says nothing about the server, nor does one that
    /// was too slow because of a limit of the bandwidth.
    var isServerFailure: Bool { (isTransient || code == .timedOut) && !isTimeoutOfQueue && !isByOwnLimit }

    /// True if the request waited in the queue of its engine, and was not sent.
    var isTimeoutOfQueue: Bool { code == .timedOut && phase == .queue }
}
