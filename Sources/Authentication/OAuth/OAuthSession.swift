import HTTPMessages
import Synchronization

/// The tokens of an ``OAuthClient``: loads and saves them, and sends the requests of its grant.
final class OAuthSession: Sendable {
    private struct State {
        var isLoaded = false
        var tokens = TokenSet()
        /// The server's refusal of the last refresh token.
        var refusal: AuthenticationError?
        /// Counts sign-ins and sign-outs: a response to a request from before is not stored.
        var epoch = 0
    }

    private let endpoint: TokenEndpoint
    private let grant: OAuthGrant
    private let store: any TokenStore
    private let storeFailed: @Sendable (any Error) -> Void
    private let state = Mutex(State())
    private let storing = SerialTasks()
    private let refreshing = SerialTasks()

    init(
        endpoint: TokenEndpoint, grant: OAuthGrant, store: some TokenStore,
        storeFailed: @escaping @Sendable (any Error) -> Void
    ) {
        self.endpoint = endpoint
        self.grant = grant
        self.store = store
        self.storeFailed = storeFailed
    }

    /// Takes a valid token from the store, or sends a token request.
    func token(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> OAuthToken {
        try await load()
        if let token = storedToken(need) { return token }
        switch grant.kind {
        case .clientCredentials:
            return try await request([("grant_type", "client_credentials")], need.scope)
        case .assertion(let makeAssertion):
            let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            return try await request([("grant_type", type), ("assertion", try await makeAssertion())], need.scope)
        case .refreshToken:
            return try await refreshing.run { [self] in try await refresh(need.scope) }
        }
    }

    func signIn(with token: OAuthToken, for scope: OAuthScope) async throws {
        try await load()
        state.withLock { state in
            state.epoch += 1
            state.tokens = TokenSet(tokens: [scope: token], refreshToken: token.refreshToken)
            state.refusal = nil
        }
        try await save()
    }

    func signOut() async throws {
        state.withLock { state in
            state.epoch += 1
            state.isLoaded = true
            state.tokens = TokenSet()
            state.refusal = nil
        }
        try await save()
    }

    private func load() async throws {
        guard !state.withLock(\.isLoaded) else { return }
        try await storing.run { [self] in
            guard !state.withLock(\.isLoaded) else { return }
            let tokens = try await store.load()
            state.withLock { state in
                guard !state.isLoaded else { return }
                state.isLoaded = true
                state.tokens = tokens ?? TokenSet()
                if case .refreshToken(let initial) = grant.kind, state.tokens.refreshToken == nil {
                    state.tokens.refreshToken = initial
                }
            }
        }
    }

    /// Saves the latest tokens, without those that have expired.
    private func save() async throws {
        try await storing.run { [self] in
            var tokens = state.withLock(\.tokens)
            tokens.removeExpired(at: endpoint.clock.localNow)
            try await store.save(tokens.isEmpty ? nil : tokens)
        }
    }

    /// A stored token that is still valid for a while, and is not the one to replace.
    private func storedToken(_ need: CredentialNeed<OAuthScope, OAuthToken>) -> OAuthToken? {
        guard let token = state.withLock({ $0.tokens.tokens[need.scope] }), token.value != need.previous?.value,
            token.lifetime(at: endpoint.clock.localNow).map({ $0 > .seconds(10) }) ?? true
        else { return nil }
        return token
    }

    /// Uses the latest refresh token, and no other.
    ///
    /// A client discards a refresh token when it gets a new one (RFC 6749, section 6). Servers take the use of an old one
    /// for theft, and revoke all tokens of the user (RFC 9700, section 4.14.2): so there is no way back to the initial one.
    private func refresh(_ scope: OAuthScope) async throws -> OAuthToken {
        let (latest, refusal) = state.withLock { ($0.tokens.refreshToken, $0.refusal) }
        guard let latest else { throw signInRequired(refusal) }
        do {
            return try await request(
                [("grant_type", "refresh_token"), ("refresh_token", latest)], scope, previous: latest)
        } catch let error as AuthenticationError where error.oauthError == "invalid_grant" {
            state.withLock { state in
                guard state.tokens.refreshToken == latest else { return }
                state.tokens.refreshToken = nil
                state.refusal = error
            }
            throw signInRequired(error)
        }
    }

    /// - Parameter failure: the server's refusal of the refresh token; nil without a token.
    private func signInRequired(_ failure: AuthenticationError?) -> AuthenticationError {
        var error = AuthenticationError(
            .signInRequired,
            failure == nil
                ? "No refresh token; sign in, and call `OAuthClient.signIn(with:)`."
                : "The refresh token has expired or was revoked; sign in again.",
            head: failure?.head, underlying: failure)
        error.oauthError = failure?.oauthError
        error.oauthErrorDescription = failure?.oauthErrorDescription
        error.oauthErrorURI = failure?.oauthErrorURI
        return error
    }

    private func request(
        _ parameters: [(String, String)], _ scope: OAuthScope, previous: String? = nil
    ) async throws -> OAuthToken {
        let epoch = state.withLock(\.epoch)
        let token = try await endpoint.token(parameters, scope: scope)
        let isCurrent = state.withLock { state in
            guard state.epoch == epoch else { return false }
            state.tokens.removeExpired(at: endpoint.clock.localNow)
            state.tokens.tokens[scope] = token
            // A server that sends no new refresh token keeps the old one valid (RFC 6749, section 6).
            state.tokens.refreshToken = token.refreshToken ?? previous ?? state.tokens.refreshToken
            return true
        }
        guard isCurrent else { return token }
        do {
            try await save()
        } catch {
            // The token is good, and a later save writes it too.
            storeFailed(error)
        }
        return token
    }
}
