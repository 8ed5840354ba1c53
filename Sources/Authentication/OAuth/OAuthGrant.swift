public import PatchbayErrors

/// How an ``OAuthClient`` obtains tokens.
public struct OAuthGrant: Sendable, RedactedStringConvertible {
    enum Kind: Sendable {
        case clientCredentials
        case refreshToken(String?)
        case assertion(@Sendable () async throws -> String)
    }

    let kind: Kind

    /// The client's own rights, without a user (RFC 6749, section 4.4).
    public static let clientCredentials = OAuthGrant(kind: .clientCredentials)

    /// A refresh token (RFC 6749, section 6).
    /// - Parameter token: used while the store was never saved to (its ``TokenStore/load()`` returns nil); nil if only
    ///   the store or ``OAuthClient/signIn(with:)`` has one. Never used after the server has replaced or refused it, or
    ///   after ``OAuthClient/signOut()``, also by a restarted app with a store that lasts. Pass the token of a new
    ///   sign-in to ``OAuthClient/signIn(with:)``.
    public static func refreshToken(_ token: String? = nil) -> OAuthGrant { OAuthGrant(kind: .refreshToken(token)) }

    /// A signed assertion for a user or a service account (RFC 7523, section 2.1).
    public static func jwtBearer(_ makeAssertion: @escaping @Sendable () async throws -> String) -> OAuthGrant {
        OAuthGrant(kind: .assertion(makeAssertion))
    }

    /// The kind of grant.
    public var description: String {
        switch kind {
        case .clientCredentials: "client credentials"
        case .refreshToken: "refresh token"
        case .assertion: "JWT bearer assertion"
        }
    }
}
