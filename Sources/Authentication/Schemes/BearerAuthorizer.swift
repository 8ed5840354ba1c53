import Foundation
public import HTTPMessages
public import PatchbayErrors

/// Bearer tokens (RFC 6750) that the app obtains: a fixed one, or those of a closure.
///
/// ```swift
/// let transport = URLSessionTransport.shared.authorizing(with: .bearer { try await session.token() }, at: origins)
/// ```
///
/// Use ``OAuthClient`` for tokens of an OAuth 2.0 server.
public struct BearerAuthorizer: Authorizer {
    private let fixed: Bool
    private let obtainToken: @Sendable () async throws -> OAuthToken

    /// Creates an authorizer for a fixed token; challenges are returned to the caller.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`) if the token has a character outside of RFC 6750.
    public init(token: String) throws(AuthenticationError) {
        let token = try OAuthToken(token)
        fixed = true
        obtainToken = { token }
    }

    /// Creates an authorizer that calls a closure for the first token, and again when one expires or is rejected.
    public init(_ token: @escaping @Sendable () async throws -> OAuthToken) {
        fixed = false
        obtainToken = token
    }

    /// One scope.
    public func scope(of request: HTTPRequest) -> SingleScope? { SingleScope() }

    /// Sets the field `Authorization`.
    public func authorize(_ request: inout HTTPRequest, with token: OAuthToken) { token.apply(to: &request) }

    /// Status 401 asks for another token, unless the token is fixed.
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: SingleScope?
    ) -> ChallengeReaction<SingleScope> {
        fixed || response.status != .unauthorized ? .deliver : .authorize(SingleScope())
    }

    /// Returns the fixed token, or calls the closure.
    public func obtain(
        _ need: CredentialNeed<SingleScope, OAuthToken>
    ) async throws -> IssuedCredential<OAuthToken> {
        let token = try await obtainToken()
        return IssuedCredential(token, lifetime: token.lifetime(at: Date()))
    }
}

extension BearerAuthorizer: RedactedStringConvertible {
    /// The kind of the authorizer.
    public var description: String { fixed ? "a fixed bearer token" : "bearer tokens of a closure" }
}

extension Authorizer where Self == BearerAuthorizer {
    /// A fixed bearer token.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`).
    public static func bearer(_ token: String) throws(AuthenticationError) -> Self {
        try BearerAuthorizer(token: token)
    }

    /// Bearer tokens of a closure.
    public static func bearer(_ token: @escaping @Sendable () async throws -> OAuthToken) -> Self {
        BearerAuthorizer(token)
    }
}
