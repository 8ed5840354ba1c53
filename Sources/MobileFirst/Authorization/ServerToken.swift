import Authentication
import HTTPMessages

/// A token and the server that it is for: after ``WLClient/setServerUrl(_:)`` no call to another server gets it.
struct ServerToken: Sendable, CustomStringConvertible, CustomReflectable {
    let token: OAuthToken
    /// The URL of the server.
    let server: String
    /// The latest refresh token; nil without one.
    let refreshToken: String?
    /// The number of logouts before it was obtained.
    let logouts: Int

    /// - Parameter refreshToken: used for `token`; still valid if the server sent no new one (RFC 6749, section 6).
    init(_ token: OAuthToken, server: String, refreshToken: String? = nil, logouts: Int = 0) {
        self.token = token
        self.server = server
        self.refreshToken = token.refreshToken ?? refreshToken
        self.logouts = logouts
    }

    /// The scope and the expiry.
    var description: String { token.description }
    /// Same content as ``description``.
    var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}

extension WLError {
    /// The error of a call that would get a token of another server than its own.
    static var serverChanged: WLError {
        WLError(
            .cancelled,
            "The call was cancelled: setServerUrl changed the server while it waited for a token; send it again.")
    }
}

private enum TokenServerKey: RequestOptionKey { static var defaultValue: String? { nil } }
private enum TokenOriginsKey: RequestOptionKey { static var defaultValue: AllowedOrigins? { nil } }

extension RequestOptions {
    /// The URL of the client's server when the request was made.
    var tokenServer: String? {
        get { self[TokenServerKey.self] }
        set { self[TokenServerKey.self] = newValue }
    }

    /// The origins that may get a token of ``tokenServer``.
    var tokenOrigins: AllowedOrigins? {
        get { self[TokenOriginsKey.self] }
        set { self[TokenOriginsKey.self] = newValue }
    }
}
