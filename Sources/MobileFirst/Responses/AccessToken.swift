import Authentication
public import Foundation
public import PatchbayErrors

/// The vendor's pure-Swift name; both names are one class.
public typealias AccessTokenSwift = AccessToken

/// An access token. Its description has no value; treat ``value`` as a secret without structure.
public final class AccessToken: Sendable, RedactedStringConvertible {
    /// The token.
    public let value: String
    /// The scope that the server granted; empty for the default scope.
    public let scope: String
    /// The time at which the token expires; nil if unknown.
    public let expiration: Date?
    /// The scope for which the token was obtained: its key in the cache.
    let requestedScope: OAuthScope

    /// Creates a token.
    /// - Parameter expiration: the time at which it expires.
    public init(token: String, withExpiration expiration: Date?, forScope scope: String?) {
        value = token
        self.expiration = expiration
        self.scope = scope ?? ""
        requestedScope = OAuthScope(scope)
    }

    /// Creates a token, as Swift imports the vendor's initializer, which never returns nil here.
    /// - Parameter expiration: the seconds from now to its expiry; 0 or less, and values that are no number, have
    ///   expired.
    public init!(token: String!, withExpiration expiration: Double, forScope scope: String!) {
        value = token ?? ""
        let seconds = expiration.isNaN ? 0 : max(0, min(expiration, 1e10))
        self.expiration = Date(timeIntervalSinceNow: seconds)
        self.scope = scope ?? ""
        requestedScope = OAuthScope(scope)
    }

    init(_ token: OAuthToken, for scope: OAuthScope) {
        value = token.value
        expiration = token.expiry
        self.scope = token.scope.text
        requestedScope = scope
    }

    /// The value of the header `Authorization`: `Bearer` and the token.
    public var asAuthorizationRequestHeaderField: String { "Bearer \(value)" }
    /// The token as a form field: `access_token=` and the token.
    public var asFormEncodedBodyParameter: String { "access_token=\(URIComponent.encode(value))" }

    /// The scope; never the token.
    public var description: String { "access token for \(scope.isEmpty ? "the default scope" : "scope \(scope)")" }
}
