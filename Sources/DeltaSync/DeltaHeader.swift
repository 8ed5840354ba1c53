import StoreCore

/// Header of a delta: its resource and versions.
public struct DeltaHeader: Hashable, Sendable {
    /// The resource; nil when the stream does not name it.
    public var resource: String?
    /// The version that the delta applies to; nil for a full load.
    public var baseVersion: String?
    /// The version of the tables after the delta.
    public var targetVersion: String
    /// True when another page follows. In a full load, `targetVersion` is then the name of this page, and the next page
    /// has it as its `baseVersion`.
    public var hasMore: Bool

    /// Creates a header.
    public init(resource: String? = nil, baseVersion: String?, targetVersion: String, hasMore: Bool = false) {
        self.resource = resource
        self.baseVersion = baseVersion
        self.targetVersion = targetVersion
        self.hasMore = hasMore
    }
}

/// Operations of a delta, counted as received.
public struct DeltaCounts: Hashable, Sendable {
    /// Rows inserted or updated.
    public var upserts: Int
    /// Deletions, including those of missing rows.
    public var deletes: Int

    /// Creates counts.
    public init(upserts: Int = 0, deletes: Int = 0) {
        self.upserts = upserts
        self.deletes = deletes
    }
}
