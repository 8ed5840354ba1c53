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

/// Retry logic of one update, as a counter of consecutive gaps. No I/O.
///
/// ```
/// delta applied        -> counter 0, request the next one
/// gap or same page, 1st -> request again from the stored state
///                   2nd -> start over with a full load
///                   3rd -> fail
/// ```
struct SyncSession: Sendable {
    /// Next action after a delta.
    enum Step: Hashable, Sendable {
        case request(DeltaRequest)
        /// Invalidate the stored version and request a full load.
        case startOver
        /// Fail with `gap`.
        case fail
    }

    private var gaps = 0

    /// Handles an applied or skipped delta that another page follows.
    mutating func next(_ outcome: DeltaOutcome, _ storedState: StoredState) -> Step {
        // The same page again is no progress.
        if outcome.isDuplicate { return gap(storedState) }
        gaps = 0
        return .request(DeltaDisposition.request(storedState))
    }

    /// Handles a gap.
    mutating func gap(_ storedState: StoredState) -> Step {
        gaps += 1
        return switch gaps {
        case 1: .request(DeltaDisposition.request(storedState))
        case 2: .startOver
        default: .fail
        }
    }
}
