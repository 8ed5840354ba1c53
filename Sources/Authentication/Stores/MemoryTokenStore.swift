import Coordination
import Synchronization

/// A token store that forgets the tokens with the process; several clients may share it.
public final class MemoryTokenStore: TokenStore {
    private let tokens: Mutex<TokenSet?>
    private let refreshes = SerialTasks()

    /// Creates a store.
    public init(_ tokens: TokenSet? = nil) { self.tokens = Mutex(tokens) }

    /// Returns the tokens.
    public func load() -> TokenSet? { tokens.withLock { $0 } }

    /// Replaces the tokens.
    public func save(_ tokens: TokenSet?) { self.tokens.withLock { $0 = tokens } }

    /// Replaces the tokens, unless another client has changed them.
    public func save(_ tokens: TokenSet, replacing expected: TokenSet?) -> Bool {
        self.tokens.withLock { current in
            guard TokenSet.areSame(current, expected) else { return false }
            current = tokens
            return true
        }
    }

    /// Runs a token request after those of other clients.
    public func withRefreshLock<Result: Sendable>(
        _ request: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await refreshes.run(request)
    }
}

extension TokenStore where Self == MemoryTokenStore {
    /// A new store in memory.
    public static var memory: MemoryTokenStore { MemoryTokenStore() }
}
