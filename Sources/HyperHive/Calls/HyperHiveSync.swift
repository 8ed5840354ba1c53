/// Outcome of a load into a database.
public struct HyperHiveSync: Hashable, Sendable {
    /// True when the server has no newer rows (304): nothing was changed.
    public let isNotModified: Bool
    /// The version of the stored rows; 0 for a resource without versions.
    public let version: Int
    /// Rows inserted or updated.
    public let upserts: Int
    /// Rows deleted, including missing ones.
    public let deletes: Int
    /// The vendor's envelope.
    public let result: HyperHiveResult
}
