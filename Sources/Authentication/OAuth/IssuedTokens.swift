import PatchbayErrors

/// What a token endpoint has issued.
package struct IssuedTokens: Sendable {
    /// The access token, with the refresh token.
    package let token: OAuthToken
    /// The ID token of OpenID Connect, which is not verified; nil without one.
    package let idToken: String?
}

extension IssuedTokens: RedactedStringConvertible {
    /// The access token's description.
    package var description: String { "\(token)\(idToken == nil ? "" : ", with an ID token")" }
}
