import Authentication
import HTTPMessages
import Transport

/// When the token endpoint is asked whether the user has approved a device (RFC 8628, section 3.5).
///
/// ```
/// pending      wait for the interval
/// slow_down    wait for an interval that is 5 seconds longer, from now on
/// no response  wait for twice the interval, from now on
/// otherwise    end
/// ```
struct DevicePolling: Sendable {
    enum Event: Sendable {
        /// The prompt is shown.
        case start
        /// The token endpoint refused, or did not respond.
        case failure(any Error)
    }

    enum Step: Sendable {
        /// Asks at this time.
        case ask(at: Duration)
        case fail(any Error)
    }

    private static let longest = Duration.seconds(3600)

    private(set) var interval: Duration
    let deadline: Duration

    /// - Parameters:
    ///   - interval: in seconds; nil for the default of 5.
    ///   - deadline: the time at which the code expires.
    init(interval: Double?, deadline: Duration) {
        self.interval = min(max(.seconds(interval ?? 5), .seconds(1)), Self.longest)
        self.deadline = deadline
    }

    /// The next step.
    mutating func next(after event: Event, now: Duration) -> Step {
        switch event {
        case .start:
            break
        case .failure(let error as AuthenticationError) where error.code == .refused:
            switch error.oauthError {
            case "authorization_pending": break
            case "slow_down": lengthen(to: interval + .seconds(5))
            case "expired_token": return .fail(Self.expired(error))
            case "access_denied": return .fail(Self.denied(error))
            default: return .fail(error)
            }
        case .failure(let error as TransportError) where !error.isCancellation && error.code != .responseTooLarge:
            lengthen(to: interval * 2)
        case .failure(let error as any ReconnectableError)
        where !(error is TransportError || error is AuthenticationError) && error.permitsReconnection:
            // A layer has not sent it, such as one with an open circuit.
            lengthen(to: interval * 2)
        case .failure(let error):
            return .fail(error)
        }
        guard now + interval < deadline else { return now < deadline ? .ask(at: deadline) : .fail(Self.expired(nil)) }
        return .ask(at: now + interval)
    }

    private mutating func lengthen(to interval: Duration) { self.interval = min(interval, Self.longest) }

    private static func expired(_ error: AuthenticationError?) -> SignInError {
        SignInError(
            .deviceCodeExpired,
            "The code that was shown has expired before the user entered it; start the sign-in again for another one.",
            underlying: error)
    }

    private static func denied(_ error: AuthenticationError) -> SignInError {
        var denied = SignInError(.accessDenied, "Access denied by the user or the server.", underlying: error)
        denied.oauthError = error.oauthError
        denied.oauthErrorDescription = error.oauthErrorDescription
        return denied
    }
}
