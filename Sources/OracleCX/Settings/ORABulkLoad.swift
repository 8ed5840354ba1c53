/// What became of a configuration that was loaded.
public struct ORABulkLoad: Hashable, Sendable {
    /// True when it was newer than the one before, and holds values for the module.
    public let isApplied: Bool
    /// The settings whose values were refused by their `isValid(_:)`, sorted; they keep the values that they had.
    public let refusedKeys: [String]
}
