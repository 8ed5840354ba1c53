import Authentication
import HTTPMessages
import PatchbayErrors

/// A token and the session that it is for: no call that the app made in another session gets it.
struct ServerToken: Sendable, RedactedStringConvertible {
    let token: OAuthToken
    /// The ``ClientState/session`` in which it was obtained.
    let session: Int
    /// The latest refresh token; nil without one.
    let refreshToken: String?

    /// - Parameter refreshToken: used for `token`; still valid if the server sent no new one (RFC 6749, section 6).
    init(_ token: OAuthToken, session: Int, refreshToken: String? = nil) {
        self.token = token
        self.session = session
        self.refreshToken = token.refreshToken ?? refreshToken
    }

    /// The scope and the expiry.
    var description: String { token.description }
}

extension WLError {
    /// The error of a call that was in flight when its session ended.
    static var sessionEnded: WLError {
        WLError(
            .cancelled,
            "The call was cancelled: it was in flight during a logout or a change of the server; send it again.")
    }

    /// The error for a call of a session: ``sessionEnded`` if the server refused it after the end of that session.
    func inSession(_ session: Int?, of state: ClientState) -> WLError {
        let isRefusal = code == .authorization || code == .invalidClientID
        return isRefusal && session != state.session ? .sessionEnded : self
    }
}

private enum SessionKey: RequestOptionKey { static var defaultValue: Int? { nil } }
private enum TokenOriginsKey: RequestOptionKey { static var defaultValue: AllowedOrigins? { nil } }

extension RequestOptions {
    /// The ``ClientState/session`` in which the app made the call.
    var session: Int? {
        get { self[SessionKey.self] }
        set { self[SessionKey.self] = newValue }
    }

    /// The origins that may get a token of ``session``.
    var tokenOrigins: AllowedOrigins? {
        get { self[TokenOriginsKey.self] }
        set { self[TokenOriginsKey.self] = newValue }
    }
}
