/// Changes of a resource's tables by one response.
struct TableChanges: Hashable, Sendable {
    /// The stored version; 0 without versions.
    var version: Int
    /// Rows inserted or updated.
    var upserts = 0
    /// Rows deleted, including missing ones.
    var deletes = 0
}
