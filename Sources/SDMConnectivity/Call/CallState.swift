import Foundation

/// The state machine of one call, without I/O: what to do after each event of its attempts.
///
/// ```
/// created    -start->               sending
/// sending    -head: redirect->      redirecting -followed->   sending
/// sending    -head: challenge->     challenged  -authorized-> sending; -unauthorized-> finished
/// sending    -head: other->         receiving   -bodyEnded->  finished
/// sending    -cached->              finished; instead of an attempt
/// sending    -resend->              sending; at most once
/// receiving  -restarted->           sending
/// sending, receiving -failed->      sending (a retry) or finished
/// ```
struct CallState {
    enum Phase: Equatable {
        case created, sending, redirecting, challenged, receiving, finished
    }

    /// What the runner does next.
    enum Action: Equatable {
        /// Send an attempt.
        case send
        /// Announce the redirect, and call ``followed()`` when the delegate agrees.
        case redirect(URL)
        /// Look for credentials, and call ``authorized()`` or ``unauthorized()``.
        case authenticate(isProxy: Bool)
        /// Receive the body, and call ``bodyEnded()``.
        case receive
        /// Finish with the response.
        case finish
        /// Fail with this code.
        case fail(SDMError.Code)
    }

    /// The settings that decide, as they are at the event.
    struct Rules {
        var shouldRedirect = true
        var retryCountOnTimeout = 0
        var redirectLimit = REDIRECTION_LIMIT
        /// False for a method such as `POST`, which a server must not perform twice.
        var isIdempotent = true
        /// False for a method such as `POST`, `PUT` or `DELETE`, which changes something.
        var isSafe = true
    }

    /// A failed attempt.
    enum Failure: Equatable {
        /// No bytes for the time of the timeout.
        case timedOut
        /// The connection was closed without a complete response.
        case connectionLost
    }

    private(set) var phase = Phase.created
    private(set) var redirectCount = 0
    private(set) var retryCount = 0
    private(set) var authenticationCount = 0
    private(set) var proxyAuthenticationCount = 0
    /// True after the last attempt with credentials that the limit allows: no others are sought.
    var isAuthenticationExhausted: Bool {
        (isProxyChallenge ? proxyAuthenticationCount : authenticationCount) >= AUTHENTICATION_RETRY_COUNT
    }
    private var hasResent = false
    private var isProxyChallenge = false

    /// The first attempt.
    mutating func start() -> Action { send() }

    /// The cache has the response, so nothing is sent.
    mutating func cached() -> Action {
        phase = .finished
        return .finish
    }

    /// A response head.
    /// - Parameters:
    ///   - isProxyChallenge: true for a challenge of a proxy. Status 407 of a server is an ordinary response.
    ///   - target: the target of `Location`, if there is one.
    mutating func received(
        status: Int, isProxyChallenge: Bool = false, target: URL?, rules: Rules
    ) -> Action {
        if rules.shouldRedirect, RedirectRules.statuses.contains(status), let target {
            redirectCount += 1
            guard redirectCount <= rules.redirectLimit else { return fail(.tooMuchRedirection) }
            phase = .redirecting
            return .redirect(target)
        }
        if status == 401 || isProxyChallenge {
            phase = .challenged
            self.isProxyChallenge = isProxyChallenge
            return .authenticate(isProxy: isProxyChallenge)
        }
        phase = .receiving
        return .receive
    }

    /// The subclass wants to send the request again.
    /// - Returns: nil if it was sent again before.
    mutating func resend() -> Action? {
        if hasResent { return nil }
        hasResent = true
        return send()
    }

    /// The redirect is followed.
    mutating func followed() -> Action { send() }

    /// There are credentials for the challenge.
    mutating func authorized() -> Action {
        if isProxyChallenge { proxyAuthenticationCount += 1 } else { authenticationCount += 1 }
        return send()
    }

    /// There are no credentials for the challenge.
    mutating func unauthorized() -> Action { fail(.authentication) }

    /// The response does not fit to the file of a resumed download, or to the cached response: the whole is loaded.
    mutating func restarted() -> Action { send() }

    /// The body is complete.
    mutating func bodyEnded() -> Action {
        phase = .finished
        return .finish
    }

    /// The attempt failed.
    /// - Parameter canRetry: false if bytes of the body have reached the delegate, which must not get them twice.
    mutating func failed(_ failure: Failure, canRetry: Bool, rules: Rules) -> Action {
        // With its response, the server has performed the request. A challenge has refused it.
        let canRetry = canRetry && (phase != .receiving || rules.isIdempotent)
        switch failure {
        case .timedOut:
            guard canRetry, retryCount < rules.retryCountOnTimeout else { return fail(.requestTimedOut) }
        case .connectionLost:
            // The vendor's rule is: once, and not after a timeout. A write may have reached the server, so unlike there
            // it is not sent again, unless a challenge has refused it.
            guard canRetry, rules.isSafe || phase == .challenged, retryCount == 0 else {
                return fail(.connectionFailure)
            }
        }
        retryCount += 1
        return send()
    }

    private mutating func send() -> Action {
        phase = .sending
        return .send
    }

    private mutating func fail(_ code: SDMError.Code) -> Action {
        phase = .finished
        return .fail(code)
    }
}
