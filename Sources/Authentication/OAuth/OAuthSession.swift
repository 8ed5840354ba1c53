import Coordination
import Foundation
import HTTPMessages
import Transport

/// The tokens of an ``OAuthClient``, and of those that share them: loads and saves them, and sends the requests of the
/// grant.
final class OAuthSession: Sendable {
    /// The user is not known. It changes with sign-ins and sign-outs, also with those of another client of the store: a
    /// response to a request from before is not stored.
    private typealias Users = Session<OAuthSessionState, Never>

    private let endpoint: TokenEndpoint
    private let grant: OAuthGrant
    private let store: any TokenStore
    private let storeFailed: @Sendable (any Error) -> Void
    private let users = Users(OAuthSessionState())
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

    /// Takes a valid token from the store, or sends a token request; without a network, a stored one until it expires.
    func token(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> OAuthToken {
        try await load()
        if let token = storedToken(need, validFor: .seconds(10)) { return token }
        do {
            return try await newToken(need)
        } catch  where error.isWithoutResponse {
            guard let token = storedToken(need, validFor: .zero) else { throw error }
            return token
        }
    }

    /// The stored token of a scope, also one that has expired.
    func lastToken(for scope: OAuthScope) async -> OAuthToken? {
        do { try await load() } catch { return nil }
        return users.read { $0.tokens.tokens[scope] }
    }

    /// True for the stored token of a scope; false after a sign-in or a sign-out. Those of another client of the store
    /// are seen at the next token request.
    func holds(_ token: OAuthToken, for scope: OAuthScope) -> Bool {
        users.read { $0.tokens.tokens[scope]?.value == token.value }
    }

    /// The identifier of the user of a stored token; nil for one of another sign-in.
    func user(of token: OAuthToken, for scope: OAuthScope) -> String? {
        users.read { $0.tokens.tokens[scope]?.value == token.value ? $0.tokens.user : nil }
    }

    private func newToken(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> OAuthToken {
        guard case .refreshToken = grant.kind else { return try await storedOrNewToken(need) }
        return try await refreshing.run { [self] in
            try await store.withRefreshLock { [self] in try await storedOrNewToken(need) }
        }
    }

    /// Takes a token that another client has stored meanwhile, or sends a token request.
    private func storedOrNewToken(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> OAuthToken {
        do { try await reload() } catch { storeFailed(error) }
        if let token = storedToken(need, validFor: .seconds(10)) { return token }
        // Before the assertion is made, since another user may sign in meanwhile.
        let start = users.snapshot
        switch grant.kind {
        case .clientCredentials:
            return try await request(need.scope, start) { [("grant_type", "client_credentials")] }
        case .assertion(let makeAssertion):
            let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            return try await request(need.scope, start, isSigned: true) {
                [("grant_type", type), ("assertion", try await makeAssertion())]
            }
        case .refreshToken:
            return try await refresh(need)
        }
    }

    /// Replaces all tokens, so those of the store need not be readable.
    func signIn(with token: OAuthToken, for scope: OAuthScope) async throws {
        users.reset {
            $0.replace(Self.tokens(ofSignIn: token, scope))
            $0.isUnsaved = true
            $0.changeCount += 1
        }
        try await save(replacesAny: true)
    }

    /// Signs in once the tokens are in the store; if they cannot be saved, all stays as it is.
    /// - Throws: the error of the store; `signedOut` after a sign-in or a sign-out meanwhile, which counts.
    func signInOnceSaved(with token: OAuthToken, for scope: OAuthScope) async throws {
        let tokens = Self.tokens(ofSignIn: token, scope)
        let start = users.read(\.changeCount)
        let isSignedIn = try await storing.run { [self] in
            // The tokens of a change before this may be in the store already; those of a later one are saved next.
            guard users.read(\.changeCount) == start else { return false }
            try await store.save(tokens)
            return users.reset(unless: { $0.changeCount != start }) { state, isReset in
                state.stored = tokens
                guard isReset else { return false }
                state.replace(tokens)
                state.isUnsaved = false
                state.changeCount += 1
                return true
            }
        }
        guard isSignedIn else {
            throw AuthenticationError(
                .signedOut,
                "Another sign-in or a sign-out came while the tokens were saved, and counts; sign in again if needed.")
        }
    }

    private static func tokens(ofSignIn token: OAuthToken, _ scope: OAuthScope) -> TokenSet {
        var tokens = TokenSet(tokens: [scope: token], refreshToken: token.refreshToken)
        tokens.user = UUID().uuidString
        return tokens
    }

    func signOut() async throws {
        _ = removeAll()
        try await save(replacesAny: true)
    }

    /// Signs out, for a revocation of the tokens: the latest ones, also those of a refresh in flight, for which it
    /// waits, and those that another client or process has stored.
    /// Cancelling the task ends the wait, not the removal: a stopped process may hold the store's lock for ever.
    func removeTokens() async -> RemovedTokens {
        let (isRemoving, removed) = (Promise<Bool>(), Promise<RemovedTokens>())
        let remove: @Sendable ((any Error)?) async -> Void = { [self] lockError in
            // Once: when the lock comes late, another user may have signed in.
            guard isRemoving.fulfill(true) else { return }
            removed.fulfill(await removeLatest(lockError))
        }
        Task(executorPreference: WorkerThreads.calls) { [self] in
            do {
                try await refreshing.run { [self] in try await store.withRefreshLock { await remove(nil) } }
            } catch {
                if isRemoving.current == nil { await remove(error) } else { storeFailed(error) }
            }
        }
        return await removed.value { Task(executorPreference: WorkerThreads.calls) { await remove(nil) } }
    }

    private func removeLatest(_ lockError: (any Error)?) async -> RemovedTokens {
        var removed = RemovedTokens(loadError: lockError)
        do {
            // Of a sign-in that is not saved, the store has the tokens of the former user.
            if users.read({ $0.isLoaded && !$0.isUnsaved }) { try await reload() } else { try await load() }
        } catch {
            removed.loadError = error
        }
        removed.tokens = removeAll()
        removed.tokens.removeExpired(at: endpoint.clock.localNow)
        do { try await save(replacesAny: true) } catch { removed.saveError = error }
        return removed
    }

    private func removeAll() -> TokenSet {
        users.reset { state in
            defer {
                state.replace(TokenSet())
                state.isUnsaved = true
                state.changeCount += 1
            }
            return state.tokens
        }
    }

    /// True if there are tokens, here or in the store.
    func hasTokens() async throws -> Bool {
        try await load()
        return users.read { !$0.tokens.isEmpty }
    }

    private func load() async throws {
        guard !users.read(\.isLoaded) else { return }
        try await storing.run { [self] in
            guard !users.read(\.isLoaded) else { return }
            let tokens = try await store.load()
            users.change { state in
                guard !state.isLoaded else { return }
                state.stored = tokens
                state.replace(tokens ?? TokenSet())
                // An empty set is that of a sign-out, or of a refused refresh token.
                if case .refreshToken(let initial) = grant.kind, tokens == nil { state.tokens.refreshToken = initial }
            }
        }
    }

    /// Takes the tokens that another client or process has stored meanwhile, or their absence.
    func reload() async throws {
        try await storing.run { [self] in adopt(try await store.load()) }
    }

    /// Takes what the store has, if another client has changed it. Only while no other work is in ``storing``.
    ///
    /// Not before a sign-in or a sign-out is saved: the store still has the tokens of the former user.
    private func adopt(_ current: TokenSet?) {
        users.reset(unless: { $0.isUnsaved || TokenSet.areSame(current, $0.stored) }) { state, isReset in
            guard isReset else { return }
            state.stored = current
            state.replace(current ?? TokenSet())
        }
    }

    /// Saves the latest tokens.
    /// - Parameter replacesAny: whether they replace those of another client too; otherwise its tokens are taken.
    private func save(replacesAny: Bool = false) async throws {
        try await storing.run { [self] in
            let start = users.snapshot
            let tokens = start.value.tokens
            if replacesAny || start.value.isUnsaved {
                try await store.save(tokens)
            } else if try await !store.save(tokens, replacing: start.value.stored) {
                return adopt(try await store.load())
            }
            users.change { $0.stored = tokens }
            users.keep(from: start) { $0.isUnsaved = false }
        }
    }

    /// A stored token that is still valid for more than a duration, and is not the one to replace.
    private func storedToken(
        _ need: CredentialNeed<OAuthScope, OAuthToken>, validFor minimum: Duration
    ) -> OAuthToken? {
        guard let token = users.read({ $0.tokens.tokens[need.scope] }), token.value != need.previous?.value,
            token.lifetime(at: endpoint.clock.localNow).map({ $0 > minimum }) ?? true
        else { return nil }
        return token
    }

    /// Uses the latest refresh token, and no other.
    ///
    /// Servers take the use of a discarded one (RFC 6749, section 6) for theft, and revoke all tokens of the user (RFC
    /// 9700, section 4.14.2): so there is no way back to the initial one.
    private func refresh(_ need: CredentialNeed<OAuthScope, OAuthToken>) async throws -> OAuthToken {
        let start = users.snapshot
        guard let latest = start.value.tokens.refreshToken else { throw signInRequired(start.value.refusal) }
        do {
            return try await request(need.scope, start, previous: latest) {
                [("grant_type", "refresh_token"), ("refresh_token", latest)]
            }
        } catch let error as AuthenticationError where error.oauthError == "invalid_grant" {
            let isKept = users.keep(from: start) { state in
                // Requests with a refresh token are sent one after another, so it is still the latest one.
                state.tokens.refreshToken = nil
                state.tokens.removeExpired(at: endpoint.clock.localNow)
                state.removeRejected(need)
                state.refusal = error
            }
            if isKept { await saveOrReport() }
            throw signInRequired(error)
        }
    }

    /// - Parameter failure: the server's refusal of the refresh token; nil without a token.
    private func signInRequired(_ failure: AuthenticationError?) -> AuthenticationError {
        var error = AuthenticationError(
            .signInRequired,
            failure == nil
                ? "No refresh token; sign in by `OAuthLogin`, or call `OAuthClient.signIn(with:)`."
                : "The refresh token has expired or was revoked; sign in again, such as by `OAuthLogin`.",
            head: failure?.head, underlying: failure)
        error.oauthError = failure?.oauthError
        error.oauthErrorDescription = failure?.oauthErrorDescription
        error.oauthErrorURI = failure?.oauthErrorURI
        return error
    }

    /// - Parameters:
    ///   - start: the user to which the parameters belong.
    ///   - previous: the refresh token that the parameters have.
    ///   - isSigned: whether the parameters have a signed time.
    private func request(
        _ scope: OAuthScope, _ start: Users.Snapshot, previous: String? = nil, isSigned: Bool = false,
        _ parameters: () async throws -> [(String, String)]
    ) async throws -> OAuthToken {
        let token = try await endpoint.issue(scope: scope, isSigned: isSigned, parameters).token
        let isKept = users.keep(from: start) { state in
            state.set(token, for: scope, now: endpoint.clock.localNow)
            // A server that sends no new refresh token keeps the old one valid (RFC 6749, section 6).
            state.tokens.refreshToken = token.refreshToken ?? previous ?? state.tokens.refreshToken
        }
        // The token is good, even if it cannot be saved; a later save writes it too.
        if isKept { await saveOrReport() }
        return token
    }

    private func saveOrReport() async { do { try await save() } catch { storeFailed(error) } }
}
