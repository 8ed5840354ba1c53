import HTTPMessages
import Transport

extension EndedAttempt.Outcome {
    /// The attempt as an error lists it.
    /// - Parameter delay: the wait after it, or nil when it was the last one.
    func attempt(delay: Duration?) -> TransportError.Attempt {
        switch self {
        case .response(let head): TransportError.Attempt(.status(head.status), delay: delay)
        case .failure(let error): TransportError.Attempt(.failure(error.code, error.message), delay: delay)
        }
    }

    /// The attempts that an error lists for it: those that a layer below has made, or just the one.
    func attempts(delay: Duration?) -> [TransportError.Attempt] {
        guard case .failure(let error) = self, var last = error.attempts.last else { return [attempt(delay: delay)] }
        last.delay = delay
        return error.attempts.dropLast() + [last]
    }
}
