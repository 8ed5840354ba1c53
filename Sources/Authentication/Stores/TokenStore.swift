/// Keeps the tokens of one OAuth client, so that a restarted app needs no new sign-in.
///
/// ``MemoryTokenStore``, ``FileTokenStore`` and ``KeychainTokenStore`` conform. ``OAuthClient`` makes one call at a time.
public protocol TokenStore: Sendable {
    /// Reads the tokens; nil if there are none.
    /// - Throws: any error; the token request fails with it.
    func load() async throws -> TokenSet?

    /// Replaces the tokens; nil deletes them.
    /// - Throws: any error; see ``OAuthClient``.
    func save(_ tokens: TokenSet?) async throws
}
