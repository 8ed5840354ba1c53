import Foundation
import HTTPMessages

extension TransportError {
    /// True if the same request may succeed: the connection or the time was lost, not the file.
    /// - Parameter hasProgress: true if an earlier request has reached the server: then a host that is not found tells
    ///   of a lost network, as do a failed proxy and an unknown cause; else of a wrong name.
    package func isInterruption(hasProgress: Bool) -> Bool {
        switch code {
        case .connectionLost, .connectionRefused, .unreachable, .truncated: true
        case .hostNotFound, .proxy, .unknown: hasProgress
        case .timedOut: phase != .total
        default: false
        }
    }

    /// What the error is in a list of attempts.
    package var attemptCause: AttemptRecord.Cause { .failure(code, message) }
    /// The wait that the response asks for whose body was lost.
    package var retryAfter: Duration? { head?.retryAfter(at: Date()) }
}

extension AttemptListing {
    /// Adds the attempts of this error to those before it, which it has too then.
    mutating func append(to earlier: inout [TransportError.AttemptRecord]) {
        earlier += attempts.isEmpty ? [TransportError.AttemptRecord(attemptCause)] : attempts
        if earlier.count > 1 { attempts = earlier }
    }
}
