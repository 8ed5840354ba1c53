/// Retry logic of one update, as a counter of consecutive gaps and whether it has started over. No I/O.
///
/// ```
/// delta applied        -> counter 0, request the next one
/// gap or same page, 1st -> request again from the stored state
///                   2nd -> start over with a full load, once in an update; else fail
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
    /// A server that sends the first page of a load for each request would have it loaded for ever.
    private var hasStartedOver = false

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
        if gaps == 1 { return .request(DeltaDisposition.request(storedState)) }
        guard gaps == 2, !hasStartedOver else { return .fail }
        hasStartedOver = true
        return .startOver
    }
}
