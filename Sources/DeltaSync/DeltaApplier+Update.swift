import StoreCore

extension DeltaApplier {
    /// Fetches and applies deltas until the target is up to date.
    ///
    /// After a gap it retries once from the stored version, then requests a full load.
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
            var session = SyncSession()
            var counts = DeltaCounts()
            var storedState = try prepare(tables)
            var request = DeltaDisposition.request(storedState)
            while true {
                let step: SyncSession.Step
                switch try fetchAndApply(request, tables, storedState, isCancelled, fetch) {
                case .applied(let outcome):
                    counts.upserts += outcome.counts.upserts
                    counts.deletes += outcome.counts.deletes
                    guard outcome.hasMore else {
                        return DeltaOutcome(
                            version: outcome.version, counts: counts, isDuplicate: outcome.isDuplicate, hasMore: false)
                    }
                    storedState = try prepare(tables)
                    step = session.next(outcome, storedState)
                case .gap(let error):
                    storedState = try prepare(tables)
                    step = session.gap(storedState)
                    if step == .fail { throw error }
                }
                switch step {
                case .request(let next): request = next
                case .startOver:
                    try invalidate(tables)
                    (storedState, request) = (StoredState(), .fullLoad)
                case .fail: throw Self.repeatedPage
                }
            }
        }
    }

    /// Result of one request of an update.
    private enum Attempt {
        case applied(DeltaOutcome)
        /// The delta does not follow on the stored version.
        case gap(DeltaError)
    }

    private func fetchAndApply<Source: DeltaSource>(
        _ request: DeltaRequest, _ tables: DeltaTables, _ storedState: StoredState, _ isCancelled: () -> Bool,
        _ fetch: (DeltaRequest) throws -> Source
    ) throws(DeltaError) -> Attempt {
        var source: Source
        do {
            source = try fetch(request)
        } catch {
            throw DeltaError(.source, "The request to the server failed; see `underlying`.", underlying: error)
        }
        do throws(DeltaError) {
            return .applied(try apply(&source, tables, storedState, isCancelled))
        } catch {
            guard error.code == .gap else { throw error }
            return .gap(error)
        }
    }

    private static var repeatedPage: DeltaError {
        DeltaError(.gap, "Server sent the same page again; check the `to` and `more` members of its header.")
    }
}
