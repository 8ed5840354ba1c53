import HTTPMessages
import Transport

extension AttemptResult.Outcome {
    /// The record of the attempt for the list in an error.
    /// - Parameter backoff: the wait after it, or nil for the last attempt.
    func record(backoff: Duration?) -> TransportError.AttemptRecord {
        switch self {
        case .response(let head): TransportError.AttemptRecord(.status(head.status), backoff: backoff)
        case .failure(let error): TransportError.AttemptRecord(.failure(error.code, error.message), backoff: backoff)
        }
    }

    /// The records for the list in an error: those of a layer below, if it retried, or else the one record.
    func records(backoff: Duration?) -> [TransportError.AttemptRecord] {
        guard case .failure(let error) = self, var last = error.attempts.last else { return [record(backoff: backoff)] }
        last.backoff = backoff
        return error.attempts.dropLast() + [last]
    }
}
