/// What became of a delta.
public struct DeltaOutcome: Hashable, Sendable {
    /// The version of the rows now; nil while they are being loaded for the first time.
    public let version: String?
    /// What was applied; zeros when the delta was there already.
    public let counts: DeltaCounts
    /// True when the delta had been applied before, so that nothing was changed.
    public let isDuplicate: Bool
    /// True when the server has more: ask again.
    public let hasMore: Bool
}
