import HTTPMessages

/// What an outcome means for the row of its entry: a state machine without I/O.
///
/// ```
/// sending -done->                    removed, with its response kept
/// sending -again->                   delayed; ready after an interruption
/// sending -failed->                  failed
/// sending -conflict resolved->       removed, ready, delayed or failed, as the app has decided
/// sending -sender lost the lease->   as another sender has left it, unless done
/// ```
enum Settlement: Hashable, Sendable {
    /// Remove the entry; keep the response of ``SendOutcome``.
    case remove
    /// Store the row.
    case store(EntryRow)
    /// Settle the conflict, and store the row.
    case resolve(EntryRow)
    /// Another sender, or the app, has the entry now.
    case ignore

    init(
        _ outcome: SendOutcome, of row: EntryRow, by sender: String, now: Int64, redaction: Redaction = .standard
    ) {
        // A success counts also if the lease was lost meanwhile: the server has the request.
        if case .response(_, .done, _) = outcome.result {
            self = .remove
            return
        }
        if case .error(_, .done, _) = outcome.result {
            self = .remove
            return
        }
        guard row.phase == .sending, row.sender == sender else {
            self = .ignore
            return
        }
        var row = row
        row.sender = nil
        row.due = nil
        if outcome.hasLostAttempt { row.noteLostAttempt() }
        switch outcome.result {
        case .response(let response, let verdict, _):
            row.failure = OutboxFailure(response, redaction)
            if verdict == .failed {
                // An earlier attempt without a response leaves its doubt: what refused this one may be a gateway.
                row.phase = .failed
            } else {
                if response.status == .conflict, row.doubt > 0 { row.doubt = row.doubt == 1 ? -1 : row.doubt - 1 }
                row.delay(until: now + outcome.wait.milliseconds)
            }
        case .error(let failure, let verdict, let isUnsent):
            row.failure = failure
            if !isUnsent { row.doubt = EntryRow.doubt }
            if verdict == .failed { row.phase = .failed } else { row.delay(until: now + outcome.wait.milliseconds) }
        case .resolved(_, let response):
            row.failure = OutboxFailure(response, redaction)
            if outcome.wait > .zero { row.delay(until: now + outcome.wait.milliseconds) }
            self = .resolve(row)
            return
        case .interrupted:
            row.doubt = EntryRow.doubt
            row.phase = .ready
        case .unsent:
            row.attempts = max(0, row.attempts - 1)
            row.phase = .ready
        }
        self = .store(row)
    }
}

extension EntryRow {
    fileprivate mutating func delay(until due: Int64) {
        (phase, self.due) = (.delayed, due)
    }
}
