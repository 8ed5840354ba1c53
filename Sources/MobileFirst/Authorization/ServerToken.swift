import Authentication
import HTTPMessages

/// A token and the server that it is for: after ``WLClient/setServerUrl(_:)`` no call to another server gets it.
struct ServerToken: Sendable, CustomStringConvertible, CustomReflectable {
    let token: OAuthToken
    /// The URL of the server.
    let server: String
    /// The latest refresh token; nil without one.
    let refreshToken: String?

    /// - Parameter refreshToken: used for `token`; still valid if the server sent no new one (RFC 6749, section 6).
    init(_ token: OAuthToken, server: String, refreshToken: String? = nil) {
        self.token = token
        self.server = server
        self.refreshToken = token.refreshToken ?? refreshToken
    }

    /// The scope and the expiry.
    var description: String { token.description }
    /// Same content as ``description``.
    var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}

private enum TokenServerKey: RequestOptionKey { static var defaultValue: String? { nil } }

extension RequestOptions {
    /// The URL of the client's server when the request was made; nil if that is invalid.
    var tokenServer: String? {
        get { self[TokenServerKey.self] }
        set { self[TokenServerKey.self] = newValue }
    }
}
