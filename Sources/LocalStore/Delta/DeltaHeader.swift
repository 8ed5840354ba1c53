/// What a delta says before its rows.
public struct DeltaHeader: Hashable, Sendable {
    /// What it is a delta of; nil when the stream does not say.
    public var resource: String?
    /// The version that it starts from; nil when it holds all rows.
    public var from: String?
    /// The version that the tables have with it.
    public var to: String
    /// True when it is one page, and another follows. While all rows are loaded, `to` is then the name of this page,
    /// which the next one has as its `from`.
    public var hasMore: Bool

    /// A header.
    public init(resource: String? = nil, from: String?, to: String, hasMore: Bool = false) {
        self.resource = resource
        self.from = from
        self.to = to
        self.hasMore = hasMore
    }
}

/// How many rows a delta inserted or updated, and how many it deleted, counted as they came.
public struct DeltaCounts: Hashable, Sendable {
    /// Rows inserted or updated.
    public var upserts: Int
    /// Deletions, of rows that were not there too.
    public var deletes: Int

    /// Counts.
    public init(upserts: Int = 0, deletes: Int = 0) {
        self.upserts = upserts
        self.deletes = deletes
    }
}
