import HTTPMessages

/// Meets the challenges of a security check, such as a PIN.
///
/// ```swift
/// final class PinHandler: SecurityCheckChallengeHandler {
///     override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
///         askForPin(attempts: challenge["remainingAttempts"] as? Int) { pin in
///             self.submitChallengeAnswer(["pin": pin])
///         }
///     }
/// }
/// ```
/// In Swift 6 a handler whose alert keeps it is `@unchecked Sendable`, and shows it in `MainActor.assumeIsolated`: its
/// methods are called on the main queue.
///
/// After a wrong credential the server challenges again, and the handler is called again. A challenge has no time
/// limit: it ends when the handler submits or cancels, when the last call that waits for it is cancelled, and with a
/// logout or ``WLClient/setServerUrl(_:)``. A call that the handler makes before fails with `alreadyInProgress` if it
/// needs a token that is not cached.
open class SecurityCheckChallengeHandler: BaseChallengeHandler {
    let pending = PendingChallenge()

    /// Creates a handler without a name, for subclasses that override this.
    public override init() { super.init() }

    /// Creates a handler; never nil here.
    public override init!(name: String!) { super.init(name: name) }

    /// Creates a handler; never nil here.
    /// - Parameter securityCheck: the name of the check on the server.
    public init!(securityCheck: String!) { super.init(name: securityCheck) }

    /// The name of the check on the server.
    public var securityCheck: String { name }

    /// The server challenges: call ``submitChallengeAnswer(_:)`` or ``BaseChallengeHandler/cancel()``. Default nothing.
    open func handleChallenge(_ challenge: [AnyHashable: Any]!) {}

    /// The check is passed. Default nothing.
    /// - Parameter success: the identity, such as `user`.
    open func handleSuccess(_ success: [AnyHashable: Any]!) {}

    /// The check has failed, such as after too many wrong PINs; the call fails too. Default nothing.
    open func handleFailure(_ failure: [AnyHashable: Any]!) {}

    /// Submits the credential for the challenge. No effect without one, or when it was submitted already.
    /// - Parameter credential: sent as JSON; if it cannot be, the call fails with `invalidRequest`.
    open func submitChallengeAnswer(_ credential: [AnyHashable: Any]!) {
        do {
            _ = pending.end(.success(try JSONValue(foundation: credential.map { $0 as Any } ?? [String: Any]())))
        } catch {
            _ = pending.end(.failure(PendingChallenge.Aborted(reason: .invalidCredential(error.message))))
        }
    }

    /// Cancels the challenge: the calls that wait for it fail with `challengeCancelled`. No effect without one.
    open override func cancel() { _ = pending.end(.failure(PendingChallenge.Aborted(reason: .cancelled))) }
}
