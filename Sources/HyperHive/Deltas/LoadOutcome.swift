/// Result of loading a response.
struct LoadOutcome: Hashable, Sendable {
    /// The stored version; 0 without versions.
    var version: Int
    /// Rows inserted or updated.
    var upserts: Int
    /// Rows deleted, including missing ones.
    var deletes: Int
}

/// Progress of a load.
struct LoadProgress: Hashable, Sendable {
    /// Bytes of the body that were read.
    var bytes: Int64 = 0
    /// Rows and deletions that were read for the database.
    var rows = 0
}
