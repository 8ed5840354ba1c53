public import Authentication
public import PatchbayErrors

/// A sign-in that has succeeded.
public struct SignInResult: Sendable {
    /// The tokens, for `authorizing(with:at:)`.
    public let tokens: OAuthClient
    /// The scopes that the server granted.
    public let scopes: OAuthScope
    /// What the server says about the user; nil without OpenID Connect.
    public let idToken: IDToken?
}

extension SignInResult: RedactedStringConvertible {
    /// The scopes, without tokens.
    public var description: String {
        "signed in for \(scopes.isEmpty ? "the default scope" : "\(scopes)")\(idToken == nil ? "" : ", with an ID token")"
    }
}
