import StoreCore

/// Request for the next delta.
public enum DeltaRequest: Hashable, Sendable {
    /// All rows.
    case fullLoad
    /// The changes since a version.
    case changes(since: String)
    /// The page of a full load that follows the last one received.
    case nextPage(after: String)
}

/// Stored versions of a target.
struct StoredState: Hashable, Sendable {
    /// The version of the rows; nil when a full load is needed.
    var version: String?
    /// The last page loaded into the shadow tables; nil when no load is in progress.
    var page: String?
}

/// What to do with a delta, decided from its header and the stored state. No I/O.
enum DeltaDisposition: Hashable, Sendable {
    /// Duplicate: it was applied before.
    case skip
    /// Apply its operations to the tables.
    case change
    /// Start a full load into the shadow tables.
    case load
    /// Next page of the full load in progress.
    case continueLoad
    /// Its base version is not the stored one.
    case gap

    init(_ header: DeltaHeader, _ storedState: StoredState) {
        self =
            if let from = header.baseVersion, from == storedState.page {
                header.targetVersion == from ? .skip : .continueLoad
            } else if header.hasMore, header.targetVersion == storedState.page {
                .skip
            } else if let from = header.baseVersion {
                // This includes a delta from the stored version to itself: nothing has changed.
                if header.targetVersion == storedState.version {
                    .skip
                } else {
                    from == storedState.version ? .change : .gap
                }
            } else {
                !header.hasMore && header.targetVersion == storedState.version && storedState.page == nil
                    ? .skip : .load
            }
    }

    /// The next request for a stored state.
    static func request(_ storedState: StoredState) -> DeltaRequest {
        if let page = storedState.page { return .nextPage(after: page) }
        if let version = storedState.version { return .changes(since: version) }
        return .fullLoad
    }
}
