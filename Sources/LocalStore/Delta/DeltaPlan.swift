/// What to ask a server for.
public enum DeltaRequest: Hashable, Sendable {
    /// All rows.
    case everything
    /// What has changed since a version.
    case changes(since: String)
    /// The pages behind the last one that was loaded, of all rows.
    case rest(after: String)
}

/// What is stored of a target.
struct DeltaStanding: Hashable, Sendable {
    /// The version of the rows; nil when they count for nothing.
    var version: String?
    /// The last page that was loaded beside the tables; nil when there is none.
    var page: String?
}

/// Decides, without touching anything, what a delta means for what is stored.
enum DeltaPlan: Hashable, Sendable {
    /// The delta was applied before.
    case skip
    /// Its operations change the tables.
    case change
    /// Its rows are the first of all, loaded beside the tables.
    case load
    /// Its rows continue those that are being loaded.
    case continueLoad
    /// It starts from a version that is not here.
    case gap

    init(_ header: DeltaHeader, _ standing: DeltaStanding) {
        self =
            if let from = header.from, from == standing.page {
                header.to == from ? .skip : .continueLoad
            } else if header.hasMore, header.to == standing.page {
                .skip
            } else if let from = header.from {
                // Also from the version itself to itself: nothing has changed.
                if header.to == standing.version { .skip } else { from == standing.version ? .change : .gap }
            } else {
                !header.hasMore && header.to == standing.version && standing.page == nil ? .skip : .load
            }
    }

    /// What to ask for next.
    static func request(_ standing: DeltaStanding) -> DeltaRequest {
        if let page = standing.page { return .rest(after: page) }
        if let version = standing.version { return .changes(since: version) }
        return .everything
    }
}

/// Decides what to ask for next while a target is brought up to date: on a gap once more from what is stored, then for
/// everything.
struct DeltaExchange: Sendable {
    /// What to do after an answer.
    enum Step: Hashable, Sendable {
        case ask(DeltaRequest)
        /// Forget what is stored, and ask for everything.
        case startOver
        /// Fail with `gap`.
        case fail
    }

    private var gaps = 0

    /// After a delta that was applied, or was skipped, and has more behind it.
    mutating func next(_ outcome: DeltaOutcome, _ standing: DeltaStanding) -> Step {
        // A server that sends the same page again and again makes no progress.
        if outcome.isDuplicate { return gap(standing) }
        gaps = 0
        return .ask(DeltaPlan.request(standing))
    }

    /// After a gap.
    mutating func gap(_ standing: DeltaStanding) -> Step {
        gaps += 1
        return switch gaps {
        case 1: .ask(DeltaPlan.request(standing))
        case 2: .startOver
        default: .fail
        }
    }
}
