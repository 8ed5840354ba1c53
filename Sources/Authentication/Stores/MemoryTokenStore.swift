import Synchronization

/// A token store that forgets the tokens with the process.
public final class MemoryTokenStore: TokenStore {
    private let tokens: Mutex<TokenSet?>

    /// Creates a store.
    public init(_ tokens: TokenSet? = nil) { self.tokens = Mutex(tokens) }

    /// Returns the tokens.
    public func load() -> TokenSet? { tokens.withLock { $0 } }

    /// Replaces the tokens.
    public func save(_ tokens: TokenSet?) { self.tokens.withLock { $0 = tokens } }
}

extension TokenStore where Self == MemoryTokenStore {
    /// A new store in memory.
    public static var memory: MemoryTokenStore { MemoryTokenStore() }
}
