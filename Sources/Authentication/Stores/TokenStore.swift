/// Keeps the tokens of one OAuth client, so that a restarted app needs no new sign-in.
///
/// ``MemoryTokenStore``, ``FileTokenStore`` and ``KeychainTokenStore`` conform. ``OAuthClient`` loads and saves one
/// call at a time. Several clients, and processes, may use one store: each reads it again before it requests a token,
/// and saves only what follows from what it has read.
public protocol TokenStore: Sendable {
    /// Reads the tokens, as they were saved last; nil if none were ever saved.
    ///
    /// An empty set is not nil: it was saved by a sign-out, or after the server has refused the refresh token.
    /// - Throws: any error; the token request fails with it.
    func load() async throws -> TokenSet?

    /// Replaces the tokens; nil deletes them.
    /// - Throws: any error; see ``OAuthClient``.
    func save(_ tokens: TokenSet?) async throws

    /// Replaces the tokens, unless another client or process has changed them.
    ///
    /// Default: loads, compares by ``TokenSet/hasSameTokens(as:)``, and saves.
    /// - Parameter expected: what this client has read or saved last.
    /// - Returns: whether they were replaced.
    /// - Throws: any error; see ``OAuthClient``.
    func save(_ tokens: TokenSet, replacing expected: TokenSet?) async throws -> Bool

    /// Runs a token request with a refresh token, while no other client or process runs one with these tokens.
    ///
    /// Default: runs it at once, so the store should be of one client in one process.
    /// - Throws: the error of the request.
    func withRefreshLock<Result: Sendable>(
        _ request: @escaping @Sendable () async throws -> Result
    ) async throws -> Result
}

extension TokenStore {
    /// Default: loads, compares by ``TokenSet/hasSameTokens(as:)``, and saves.
    public func save(_ tokens: TokenSet, replacing expected: TokenSet?) async throws -> Bool {
        guard TokenSet.areSame(try await load(), expected) else { return false }
        try await save(tokens)
        return true
    }

    /// Default: runs the request at once.
    public func withRefreshLock<Result: Sendable>(
        _ request: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await request()
    }
}
