import RequestModel

/// The state machine of one sign-in, from the open browser to the end.
///
/// ```
/// waiting    -response->                              exchanging   its code becomes tokens
/// waiting    -response of another state->             waiting      refused: the user's own may still come
/// waiting    -refusal, malformed response->           ended        the error
/// waiting    -failure: closed, timed out, ...->       ended        the error
/// exchanging -response->                              exchanging   refused: duplicate
/// exchanging -failure->                               exchanging   ignored: the token request has its own errors
/// exchanging -end->                                   ended
/// ended      -response->                              ended        refused: late, or duplicate after a response
/// ```
struct LoginState: Sendable {
    enum Phase: Hashable, Sendable {
        case waiting
        case exchanging
        case ended(hadResponse: Bool)
    }

    enum Event: Sendable {
        /// The query of a redirect to the redirect URI.
        case response(Query)
        /// The window was closed, the browser failed, the time is over, the task was cancelled, ...
        case failure(SignInError)
        /// The sign-in has returned or thrown.
        case end
    }

    enum Action: Sendable {
        /// The code is exchanged for tokens.
        case exchange(code: String)
        /// The sign-in fails.
        case fail(SignInError)
        /// The sign-in does not change; this error is for what has sent the response.
        case refuse(SignInError)
        case none
    }

    let request: AuthorizationRequest
    private(set) var phase = Phase.waiting

    init(_ request: AuthorizationRequest) { self.request = request }

    mutating func handle(_ event: Event) -> Action {
        switch (phase, event) {
        case (.waiting, .response(let query)):
            do {
                let code = try request.code(in: query)
                phase = .exchanging
                return .exchange(code: code)
            } catch  where error.code == .stateMismatch {
                return .refuse(error)
            } catch {
                phase = .ended(hadResponse: true)
                return .fail(error)
            }
        case (.waiting, .failure(let error)):
            phase = .ended(hadResponse: false)
            return .fail(error)
        case (.waiting, .end):
            phase = .ended(hadResponse: false)
        case (.exchanging, .end):
            phase = .ended(hadResponse: true)
        case (.exchanging, .response), (.ended(hadResponse: true), .response):
            return .refuse(
                SignInError(
                    .duplicateResponse,
                    "The sign-in has a response already, so this one was refused; start another sign-in if it failed."))
        case (.ended(hadResponse: false), .response):
            return .refuse(
                SignInError(
                    .lateResponse,
                    "The sign-in has ended before this response arrived, so it was refused; start the sign-in again."))
        case (.exchanging, .failure), (.ended, .failure), (.ended, .end):
            break
        }
        return .none
    }
}
