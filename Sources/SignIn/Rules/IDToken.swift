public import Foundation
public import JSON
public import PatchbayErrors

/// An ID token of OpenID Connect: what the server says about the user.
///
/// Issuer, audience, authorized party, nonce and times are checked. The signature is not: the token came from the token
/// endpoint over TLS, which proves its issuer (OpenID Connect Core, section 3.1.3.7, rule 6). Neither are `at_hash`,
/// `acr` and `auth_time`. Do not take an ID token from elsewhere for proof of a user.
public struct IDToken: Hashable, Sendable {
    /// The token as the server issued it, a secret; such as for `id_token_hint`.
    public let value: String
    /// All claims.
    public let claims: JSONValue
    /// The issuer: `iss`.
    public let issuer: String
    /// The user, as the issuer names it: `sub`.
    public let subject: String
    /// The time at which it expires: `exp`.
    public let expiry: Date
}

extension IDToken: RedactedStringConvertible {
    /// The issuer and the expiry.
    public var description: String { "ID token of \(issuer.shown), expires \(expiry.formatted(.iso8601))" }
}
