import Foundation
public import HTTPMessages
public import PatchbayErrors

/// An OAuth 2.0 client (RFC 6749): obtains bearer tokens, refreshes them, and keeps them in a store.
///
/// ```swift
/// let tokens = try OAuthClient(
///     TokenEndpoint("https://login.example.com/token", client: .basic(id: "app", secret: secret), over: network),
///     grant: .clientCredentials, scope: "items.read")
/// let transport = network.authorizing(with: tokens, at: try AllowedOrigins("https://api.example.com"))
/// ```
///
/// The scope of a request is ``HTTPMessages/RequestOptions/authorizationScope``, else the one that its URL asked for
/// before, else the client's. Status 401 asks for a new token, unless it has challenges and none of them is `Bearer`.
/// Status 403 with `insufficient_scope` and a scope asks for a token of that scope, which is remembered for the URL and
/// method.
///
/// Requests with a refresh token are sent one after another, since servers may replace it with each use, and revoke all
/// tokens when an old one is used. Clients and processes that share a store take turns too, if the store can do that
/// (``TokenStore/withRefreshLock(_:)``), and each uses what another has stored meanwhile.
public final class OAuthClient: Authorizer {
    /// The token endpoint.
    public let endpoint: TokenEndpoint
    /// The grant.
    public let grant: OAuthGrant
    /// The scope of requests without one of their own.
    public let scope: OAuthScope
    /// The scopes that resources asked for; nil if scopes of servers are ignored.
    public let learnedScopes: ScopeCache?
    private let session: OAuthSession

    /// A client with the same tokens, which are those of one user: a sign-in or a sign-out of one is that of both.
    package init(sharing other: OAuthClient, scope: OAuthScope) {
        endpoint = other.endpoint
        grant = other.grant
        self.scope = scope
        learnedScopes = other.learnedScopes
        session = other.session
    }

    /// Creates a client.
    /// - Parameters:
    ///   - scope: the scope of requests without one of their own.
    ///   - store: keeps the tokens; by default in memory.
    ///   - learnsScopes: whether a server may ask for another scope by `insufficient_scope`.
    ///   - storeFailed: is told the error of a store that could not save. The call continues with its token.
    public init(
        _ endpoint: TokenEndpoint, grant: OAuthGrant, scope: OAuthScope = .empty,
        store: some TokenStore = MemoryTokenStore(), learnsScopes: Bool = true,
        storeFailed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.endpoint = endpoint
        self.grant = grant
        self.scope = scope
        learnedScopes = learnsScopes ? ScopeCache() : nil
        session = OAuthSession(endpoint: endpoint, grant: grant, store: store, storeFailed: storeFailed)
    }

    /// The request's own scope, the learned one of its URL and method, or the client's.
    public func scope(of request: HTTPRequest) -> OAuthScope? {
        request.options.authorizationScope ?? learnedScopes?.scope(of: request) ?? scope
    }

    /// Sets the field `Authorization`, and the proof of a token that is bound to a key.
    public func authorize(_ request: inout HTTPRequest, with token: OAuthToken) throws {
        guard let proof = endpoint.proof else { return token.apply(to: &request) }
        try proof.prove(&request, with: token)
    }

    /// True for tokens that are bound to a key: each request has a proof for its URL.
    public var authorizesEachURL: Bool { endpoint.proof != nil }

    /// 1; 2 for tokens that are bound to a key: for a proof, and for another token.
    public var maximumReplays: Int { endpoint.proof == nil ? 1 : 2 }

    /// True for the client's own token of a scope; false after a sign-in or a sign-out, so that no ``CredentialCache``
    /// above uses the token of the former user. A token that the app inserts into such a cache is not the client's:
    /// store it by ``signIn(with:)``.
    public func isCurrent(_ token: OAuthToken, for scope: OAuthScope) -> Bool { session.holds(token, for: scope) }

    /// Keeps the nonce for the next proof; there is nothing to verify.
    public func verification(of response: HTTPResponseHead, to attempt: HTTPRequest) -> ResponseVerification? {
        endpoint.proof?.learn(from: response)
        return nil
    }

    /// Reads `Bearer` challenges (RFC 6750, section 3).
    public func reaction(
        to response: HTTPResponseHead, of request: HTTPRequest, scope: OAuthScope?
    ) -> ChallengeReaction<OAuthScope> {
        if let proof = endpoint.proof {
            proof.learn(from: response)
            if let scope, proof.isDemand(response) { return .replay(scope) }
        }
        switch BearerChallenge(response, scheme: endpoint.proof?.tokenType.lowercased() ?? "bearer") {
        case .none, .invalidRequest:
            return .deliver
        case .newToken:
            return .authorize(scope ?? self.scope)
        case .insufficientScope(let wanted):
            guard let wanted, let learnedScopes, wanted != scope, request.options.authorizationScope == nil else {
                return .deliver
            }
            learnedScopes.set(wanted, of: request)
            return .authorize(wanted)
        }
    }

    /// With a refresh token, an identifier that is made at the sign-in and stored with the tokens, and the scope. Nil
    /// for other grants: each token is a user of its own.
    public func cacheUser(of token: OAuthToken, for scope: OAuthScope) -> String? {
        guard case .refreshToken = grant.kind else { return nil }
        return session.user(of: token, for: scope).map { "\($0) \(scope)" }
    }

    /// The stored token of a scope, also one that has expired; nil if the store cannot be read.
    public func lastCredential(for scope: OAuthScope) async -> OAuthToken? { await session.lastToken(for: scope) }

    /// Takes a valid token from the store, or sends a token request. One that expires within 10 seconds is replaced,
    /// and used only if the token request fails by a `TransportError`.
    /// - Throws: ``AuthenticationError`` (`refused`, `signInRequired`, `invalidTokenResponse`, `tokenStore`); errors of
    ///   the transport and of the store.
    public func obtain(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> IssuedCredential<OAuthToken> {
        do {
            let token = try await session.token(need)
            // After another sign-in or a sign-out it is only for the requests that wait.
            let isCurrent = session.holds(token, for: need.scope)
            return IssuedCredential(token, lifetime: isCurrent ? token.lifetime(at: endpoint.clock.localNow) : .zero)
        } catch let error as AuthenticationError where error.code == .refused && need.scope != scope {
            // The resource would ask for it for ever.
            learnedScopes?.forget(need.scope)
            throw error
        }
    }

    /// Stores the tokens of a sign-in, such as by an authorization code.
    ///
    /// A ``CredentialCache`` no longer uses its tokens of the user before. Call ``CredentialCache/removeAll()`` before
    /// and after this, so that no call of that user that still waits gets the new one.
    public func signIn(with token: OAuthToken) async throws {
        learnedScopes?.removeAll()
        try await session.signIn(with: token, for: scope)
    }

    /// Signs in as ``signIn(with:)`` does, but only if the store can save the tokens.
    package func signInOnceSaved(with token: OAuthToken) async throws {
        try await session.signInOnceSaved(with: token, for: scope)
        learnedScopes?.removeAll()
    }

    /// Deletes all tokens, in the store too, which gets an empty set: so an initial refresh token of the grant is not
    /// used again after a restart. Then call ``CredentialCache/removeAll()``, also if this throws an error of the
    /// store.
    public func signOut() async throws {
        learnedScopes?.removeAll()
        try await session.signOut()
    }

    /// Signs out as ``signOut()`` does, for a revocation: after a refresh in flight, of which it has the tokens.
    package func removeTokens() async -> RemovedTokens {
        learnedScopes?.removeAll()
        return await session.removeTokens()
    }

    /// Takes the tokens that another client or process has stored meanwhile, or their absence.
    /// - Throws: the error of a store that cannot be read.
    package func reload() async throws { try await session.reload() }

    /// Whether there are tokens, here or in the store; they may have expired.
    /// - Throws: the error of a store that cannot be read.
    public func isSignedIn() async throws -> Bool { try await session.hasTokens() }
}

extension OAuthClient: RedactedStringConvertible {
    /// The grant and the endpoint.
    public var description: String { "OAuth client: \(grant) at \(endpoint)" }
}
