import HTTPMessages
import Transport

extension AttemptResult.Outcome {
    /// The record of the attempt for a list of attempts.
    /// - Parameter backoff: the wait after it, or nil for the last attempt.
    func record(backoff: Duration?) -> TransportError.AttemptRecord {
        switch self {
        case .response(let head): TransportError.AttemptRecord(.status(head.status), backoff: backoff)
        case .failure(let error): TransportError.AttemptRecord(error.attemptCause, backoff: backoff)
        case .rejection(let error): TransportError.AttemptRecord(error.attemptCause, backoff: backoff)
        }
    }

    /// The records for a list of attempts: those of a layer below, if it retried, or else the one record.
    func records(backoff: Duration?) -> [TransportError.AttemptRecord] {
        let below =
            switch self {
            case .response(let head): head.attempts + [record(backoff: nil)]
            case .failure(let error): error.attempts
            case .rejection(let error): error.attempts
            }
        guard var last = below.last else { return [record(backoff: backoff)] }
        last.backoff = backoff
        return below.dropLast() + [last]
    }
}

extension Error {
    /// The error with a list of attempts, or unchanged if it has none.
    func replacingAttempts(with attempts: [TransportError.AttemptRecord]) -> any Error {
        guard var error = self as? any AttemptListing else { return self }
        error.attempts = attempts
        return error
    }
}
