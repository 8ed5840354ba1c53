import Coordination
import Foundation
import RequestModel
import Synchronization

/// A sign-in that waits for the response of the authorization endpoint: the shell of a ``LoginState``.
final class PendingLogin: Sendable {
    let request: AuthorizationRequest
    private let state: Mutex<LoginState>
    private let outcome = Promise<Result<String, SignInError>>()

    init(_ request: AuthorizationRequest) {
        self.request = request
        state = Mutex(LoginState(request))
    }

    /// Passes the query of a redirect.
    /// - Throws: the error of a response that was refused, or that fails the sign-in.
    func receive(_ query: Query) throws(SignInError) {
        switch handle(.response(query)) {
        case .fail(let error), .refuse(let error): throw error
        case .exchange, .none: break
        }
    }

    /// Ends the sign-in with an error, unless it has a response.
    func fail(_ error: SignInError) { _ = handle(.failure(error)) }

    /// Ends the sign-in: later responses are refused.
    func end() { _ = handle(.end) }

    /// True after ``end()``.
    var hasEnded: Bool { state.withLock { if case .ended = $0.phase { true } else { false } } }

    /// Suspends until there is a code.
    /// - Throws: ``SignInError``, such as `cancelled` when the task is cancelled.
    func code() async throws(SignInError) -> String { try await outcome.success { fail(.cancelled) } }

    private func handle(_ event: LoginState.Event) -> LoginState.Action {
        let action = state.withLock { $0.handle(event) }
        switch action {
        case .exchange(let code): outcome.fulfill(.success(code))
        case .fail(let error): outcome.fulfill(.failure(error))
        case .refuse, .none: break
        }
        return action
    }
}

extension SignInError {
    static var cancelled: SignInError {
        SignInError(.cancelled, "The sign-in was cancelled, because its task was.")
    }

    static func timedOut(after timeout: Duration) -> SignInError {
        SignInError(
            .timedOut,
            "Timed out after \(timeout.components.seconds) seconds without a response of the browser; start the sign-in "
                + "again, or raise `SignInSettings.responseTimeout`.")
    }

    static var windowClosed: SignInError {
        SignInError(.windowClosed, "The user has closed the window of the sign-in.")
    }
}
