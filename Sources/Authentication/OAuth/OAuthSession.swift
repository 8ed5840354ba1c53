import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The tokens of an ``OAuthClient``: loads and saves them, and sends the requests of its grant.
final class OAuthSession: Sendable {
    private struct State {
        var isLoaded = false
        var tokens = TokenSet()
        /// The scopes of ``tokens``, the least recently obtained first.
        var order: [OAuthScope] = []
        /// The server's refusal of the last refresh token.
        var refusal: AuthenticationError?
        /// Counts sign-ins and sign-outs: a response to a request from before is not stored.
        var epoch = 0

        /// Stores a token. Beyond the capacity, the least recently obtained one is dropped: tokens may never expire.
        mutating func set(_ token: OAuthToken, for scope: OAuthScope, now: Date) {
            tokens.removeExpired(at: now)
            tokens.tokens[scope] = token
            order = order.filter { $0 != scope && tokens.tokens[$0] != nil } + [scope]
            while order.count > OAuthSession.capacity { tokens.tokens[order.removeFirst()] = nil }
        }

        mutating func replace(_ tokens: TokenSet) {
            self.tokens = tokens
            order = tokens.tokens.keys.sorted { $0.text < $1.text }
        }
    }

    /// Maximum number of access tokens.
    static let capacity = 1000

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
    ///
    /// Without a network, a stored token is used until it expires.
    func token(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> OAuthToken {
        try await load()
        if let token = storedToken(need, validFor: .seconds(10)) { return token }
        do {
            return try await newToken(need.scope)
        } catch let error as TransportError {
            guard let token = storedToken(need, validFor: .zero) else { throw error }
            return token
        }
    }

    /// The number of sign-ins and sign-outs.
    var epoch: Int { state.withLock(\.epoch) }

    private func newToken(_ scope: OAuthScope) async throws -> OAuthToken {
        // Before the assertion, which is that of the current user.
        let epoch = state.withLock(\.epoch)
        switch grant.kind {
        case .clientCredentials:
            return try await request([("grant_type", "client_credentials")], scope, epoch)
        case .assertion(let makeAssertion):
            let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            return try await request([("grant_type", type), ("assertion", try await makeAssertion())], scope, epoch)
        case .refreshToken:
            return try await refreshing.run { [self] in try await refresh(scope) }
        }
    }

    /// Replaces all tokens, so those of the store need not be readable.
    func signIn(with token: OAuthToken, for scope: OAuthScope) async throws {
        state.withLock { state in
            state.epoch += 1
            state.isLoaded = true
            state.replace(TokenSet(tokens: [scope: token], refreshToken: token.refreshToken))
            state.refusal = nil
        }
        try await save()
    }

    func signOut() async throws {
        state.withLock { state in
            state.epoch += 1
            state.isLoaded = true
            state.replace(TokenSet())
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
                state.replace(tokens ?? TokenSet())
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

    /// A stored token that is still valid for more than a duration, and is not the one to replace.
    private func storedToken(
        _ need: CredentialNeed<OAuthScope, OAuthToken>, validFor minimum: Duration
    ) -> OAuthToken? {
        guard let token = state.withLock({ $0.tokens.tokens[need.scope] }), token.value != need.previous?.value,
            token.lifetime(at: endpoint.clock.localNow).map({ $0 > minimum }) ?? true
        else { return nil }
        return token
    }

    /// Uses the latest refresh token, and no other.
    ///
    /// A client discards a refresh token when it gets a new one (RFC 6749, section 6). Servers take the use of an old one
    /// for theft, and revoke all tokens of the user (RFC 9700, section 4.14.2): so there is no way back to the initial one.
    private func refresh(_ scope: OAuthScope) async throws -> OAuthToken {
        let (latest, refusal, epoch) = state.withLock { ($0.tokens.refreshToken, $0.refusal, $0.epoch) }
        guard let latest else { throw signInRequired(refusal) }
        do {
            return try await request(
                [("grant_type", "refresh_token"), ("refresh_token", latest)], scope, epoch, previous: latest)
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

    /// - Parameters:
    ///   - epoch: the one to which the parameters belong.
    ///   - previous: the refresh token that the parameters have.
    private func request(
        _ parameters: [(String, String)], _ scope: OAuthScope, _ epoch: Int, previous: String? = nil
    ) async throws -> OAuthToken {
        let token = try await endpoint.token(parameters, scope: scope)
        let isCurrent = state.withLock { state in
            guard state.epoch == epoch else { return false }
            state.set(token, for: scope, now: endpoint.clock.localNow)
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
