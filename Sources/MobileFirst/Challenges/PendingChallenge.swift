import HTTPMessages
import Synchronization

/// The challenge that a handler has to meet: at most one, ended at most once.
final class PendingChallenge: Sendable {
    /// The end of a challenge without a credential.
    struct Aborted: Error {
        let reason: Preauthorization.Abort
    }

    typealias Completion = @Sendable (Result<JSONValue, Aborted>) -> Void

    private let completion = Mutex<Completion?>(nil)

    /// Begins a challenge.
    func begin(_ completion: @escaping Completion) { self.completion.withLock { $0 = completion } }

    /// Ends the challenge.
    /// - Returns: false if there is none.
    func end(_ result: Result<JSONValue, Aborted>) -> Bool {
        guard let completion = completion.withLock({ $0.take() }) else { return false }
        completion(result)
        return true
    }
}
