/// Result of applying a delta.
public struct DeltaOutcome: Hashable, Sendable {
    /// The stored version; nil until the first full load is complete.
    public let version: String?
    /// The applied operations; zero for a duplicate.
    public let counts: DeltaCounts
    /// True when the delta had been applied before and nothing was changed.
    public let isDuplicate: Bool
    /// True when the server has another page; send the next request.
    public let hasMore: Bool
}
