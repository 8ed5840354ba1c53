import HTTPMessages

extension TransportError {
    /// True if the same request may succeed: the connection or the time was lost, not the file.
    var isInterruption: Bool {
        switch code {
        case .connectionLost, .connectionRefused, .unreachable, .truncated: true
        case .timedOut: phase != .total
        default: false
        }
    }
}
