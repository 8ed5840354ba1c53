import StoreCore

extension DeltaApplier {
    /// Fetches and applies deltas until the target is up to date.
    ///
    /// After a gap it retries once from the stored version, then requests a full load, once; then it throws `gap`.
    /// - Parameters:
    ///   - isCancelled: called before each batch; default `Task.isCancelled`.
    ///   - fetch: sends the request to the server, on the calling thread. Its error becomes the error's `underlying`.
    /// - Returns: the outcome of the last delta, with the total counts.
    /// - Throws: what ``apply(_:to:isCancelled:)`` throws. Deltas applied before the error stay.
    @discardableResult
    public func update<Source: DeltaSource>(
        _ target: DeltaTarget, isCancelled: () -> Bool = { Task.isCancelled },
        fetch: (DeltaRequest) throws -> Source
    ) throws(DeltaError) -> DeltaOutcome {
        try withExclusiveTables(target) { tables throws(DeltaError) in
            var progress = UpdateProgress(try prepare(tables))
            while true {
                let attempt = try fetchAndApply(progress, tables, isCancelled, fetch)
                if let outcome = try advance(&progress, attempt, tables) { return outcome }
            }
        }
    }

    private func fetchAndApply<Source: DeltaSource>(
        _ progress: UpdateProgress, _ tables: DeltaTables, _ isCancelled: () -> Bool,
        _ fetch: (DeltaRequest) throws -> Source
    ) throws(DeltaError) -> UpdateProgress.Attempt {
        let tables = try requesting(tables)
        var source: Source
        do {
            source = try fetch(progress.request)
        } catch {
            throw Self.requestFailed(error)
        }
        do throws(DeltaError) {
            return .applied(try apply(&source, tables, progress.storedState, isCancelled))
        } catch {
            guard error.code == .gap else { throw error }
            return .gap(error)
        }
    }

    /// Decides what follows an attempt.
    /// - Returns: the outcome of the update; nil when another request follows.
    func advance(
        _ progress: inout UpdateProgress, _ attempt: UpdateProgress.Attempt, _ tables: DeltaTables
    ) throws(DeltaError) -> DeltaOutcome? {
        let step: SyncSession.Step
        switch attempt {
        case .applied(let outcome):
            progress.counts.upserts += outcome.counts.upserts
            progress.counts.deletes += outcome.counts.deletes
            guard outcome.hasMore else {
                return DeltaOutcome(
                    version: outcome.version, counts: progress.counts, isDuplicate: outcome.isDuplicate, hasMore: false)
            }
            progress.storedState = try prepare(tables)
            step = progress.session.next(outcome, progress.storedState)
        case .gap(let error):
            progress.storedState = try prepare(tables)
            step = progress.session.gap(progress.storedState)
            if step == .fail { throw error }
        }
        switch step {
        case .request(let next): progress.request = next
        case .startOver:
            try invalidate(tables)
            (progress.storedState, progress.request) = (StoredState(), .fullLoad)
        case .fail: throw Self.repeatedPage
        }
        return nil
    }

    static func requestFailed(_ error: any Error) -> DeltaError {
        error is CancellationError
            ? .cancelled
            : .source("The request to the server failed", error)
    }

    private static var repeatedPage: DeltaError {
        DeltaError(.gap, "Server sent the same page again; check the `to` and `more` members of its header.")
    }
}

/// Where an update is.
struct UpdateProgress: Sendable {
    /// Result of one request of an update.
    enum Attempt: Sendable {
        case applied(DeltaOutcome)
        /// The delta does not follow on the stored version.
        case gap(DeltaError)
    }

    var session = SyncSession()
    var counts = DeltaCounts()
    var storedState: StoredState
    var request: DeltaRequest

    init(_ storedState: StoredState) {
        self.storedState = storedState
        request = DeltaDisposition.request(storedState)
    }
}
