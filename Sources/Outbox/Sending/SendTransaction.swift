import DeltaSync
import Foundation
import HTTPMessages
import Queueing
import StoreCore

/// One transaction of a sender: settles outcomes, then claims entries.
///
/// It renews the sender's lease while an entry is in flight, and releases it when none is:
///
/// ```
/// mine -no entry in flight, none claimed-> free
/// ```
struct SendTransaction: Sendable {
    let store: any LocalStore
    let options: OutboxOptions
    let rule: SecretRule
    let owner: String
    let plan: SenderState.Plan
    /// The wall clock time.
    let date: Date
    /// The time by which entries are due, in milliseconds since 1970: the wall clock at the start of the sender, and
    /// the monotonic clock since. So setting the clock neither delays an entry nor sends it too soon.
    let dueTime: Int64
    /// The time of the monotonic clock.
    let now: Duration
    /// The users of earlier claims: before the first one the clock may have been set back since a wait was stored.
    let startedUsers: Set<String>
    /// True to remove the responses whose lifetime is over.
    let removesOldResponses: Bool

    /// New entries that a transaction admits: some milliseconds of work.
    private static let maximumAdmitted = 256

    /// The bodies of the entries that are claimed ahead, in bytes of memory.
    private static let maximumBytesAhead = 1 << 20

    private var entries: EntryTable { EntryTable(store: store) }
    private var wallTime: Int64 { date.milliseconds }

    /// The changes of a transaction that are made in memory after its commit.
    struct Result: Sendable {
        var next = SenderState.Result()
        var watch: LeaseWatch
        /// The copied bodies of removed entries.
        var unusedFiles: [String] = []
        /// The number of responses that were kept.
        var responseCount = 0
    }

    /// Runs the transaction.
    func run(_ watch: LeaseWatch) throws -> Result {
        var result = Result(watch: watch)
        result.next.hasDelayed = plan.hasDelayed
        if removesOldResponses {
            try ResponseTable(store: store).removeAll(before: wallTime - options.responseLifetime.milliseconds)
        }
        let stored = try StateTable(store: store).lease()
        let edits = try PendingEdits.existing(in: store)
        for outcome in plan.outcomes { try settle(outcome, stored, edits, &result) }
        if !plan.files.isEmpty { result.unusedFiles += try plan.files.subtracting(entries.paths()) }
        switch result.watch.decide(stored, wallTime: wallTime, now: now) {
        case .wait(let time):
            result.next.leaseRetry = time
            // The numbers of the responses are used, though another sender has the lease.
            if result.responseCount > 0 { try StateTable(store: store).put(stored.next(renewed: stored.renewed)) }
        case .send(let lease, let isTaken):
            if isTaken { try entries.releaseSending(except: plan.inFlight, of: owner) }
            // While this sender has claimed entries, it does not give up the lease.
            result.next.hasLostLease = isTaken || stored.owner != owner
            // Another sender may have left delayed entries.
            if isTaken || stored.owner != owner { result.next.hasDelayed = true }
            try claim(edits, &result)
            let isSending = plan.hasInFlight || !result.next.claimed.isEmpty
            result.next.hasLease = isSending
            // An idle sender writes nothing.
            if isSending {
                try StateTable(store: store).put(lease)
            } else if isTaken || stored.owner == owner || result.responseCount > 0 {
                try StateTable(store: store).put(SendLease(owner: nil, beat: lease.beat, renewed: lease.renewed))
            }
        }
        return result
    }

    // MARK: Settling

    private func settle(
        _ outcome: SendOutcome, _ stored: SendLease, _ edits: PendingEdits?, _ result: inout Result
    ) throws {
        // Gone: the app has discarded it, or its user was removed.
        guard let row = try entries.row(outcome.id, hasBody: false) else { return }
        switch Settlement(outcome, of: row, by: owner, now: dueTime, redaction: options.redaction) {
        case .ignore: break
        case .store(let row):
            try entries.updateProgress(row)
            if row.phase == .delayed { result.next.hasDelayed = true }
        case .resolve(let settled):
            guard case .resolved(let conflict, _) = outcome.result, let stored = try entries.row(outcome.id) else {
                return
            }
            try resolve(conflict, settled, stored, &result)
        case .remove:
            if case .response(let response, _, _) = outcome.result {
                try edits?.sent(row.id.editID, rowVersion: response.fields[.etag].map { .text($0) })
            } else {
                try edits?.sent(row.id.editID)
            }
            if case .response(let response, _, let isTruncated) = outcome.result, options.keepsResponses {
                try ResponseTable(store: store).insert(
                    response, number: (stored.beat &+ 1) << 16 &+ Int64(result.responseCount), to: row,
                    isTruncated: isTruncated, now: wallTime, rule)
                result.responseCount += 1
            }
            try remove(row, row, &result)
        }
    }

    private func resolve(
        _ conflict: ResolvedConflict, _ settled: EntryRow, _ stored: EntryRow, _ result: inout Result
    ) throws {
        var row = settled
        row.request = stored.request
        let (isDelayed, due) = (row.phase == .delayed, row.due)
        do {
            try conflict.settle(&row, in: store, options, rule)
        } catch {
            if error is StoreError { throw error }
            // The merged request cannot be stored: the refusal stays.
            (row.phase, row.due) = (.failed, nil)
            return try entries.updateProgress(row)
        }
        let edits = try PendingEdits.existing(in: store)
        switch conflict.resolution {
        case nil:
            try edits?.sent(row.id.editID, rowVersion: conflict.rowVersion)
            try remove(row, stored, &result)
        case .server:
            try edits?.discard(row.id.editID)
            try remove(row, stored, &result)
        case .ask:
            row.due = nil
            try entries.updateProgress(row)
        case .client, .merged:
            if row.request.body != stored.request.body { checkFile(of: stored, &result) }
            guard isDelayed else { return }
            (row.phase, row.due) = (.delayed, due)
            try entries.updateProgress(row)
            result.next.hasDelayed = true
        }
    }

    private func remove(_ row: EntryRow, _ stored: EntryRow, _ result: inout Result) throws {
        try entries.remove(row)
        checkFile(of: stored, &result)
    }

    private func checkFile(of row: EntryRow, _ result: inout Result) {
        if case .file(let path, _, true) = row.request.body { result.unusedFiles.append(path) }
    }

    // MARK: Claiming

    private func claim(_ edits: PendingEdits?, _ result: inout Result) throws {
        if plan.admits { result.next.hasNew = try entries.admit(limit: Self.maximumAdmitted) }
        result.next.hasMore = true
        guard plan.count + plan.ahead > 0 else { return }
        result.next.hasMore = false
        var dues: [Int64] = []
        for user in plan.users where result.next.hasDelayed {
            let far = startedUsers.contains(user) ? .max : dueTime + longestWait
            try entries.releaseDue(user, now: dueTime, farFrom: far)
            if let due = try entries.nextDue(user) { dues.append(due) }
        }
        result.next.hasDelayed = !dues.isEmpty
        result.next.nextDue = dues.min().map { now + .milliseconds(max(0, $0 - dueTime)) }
        if options.failureBlocks == .everything, try plan.users.contains(where: { try entries.hasFailed($0) }) {
            return
        }
        let limit = plan.count + plan.ahead
        let candidates = try entries.ready(
            of: plan.users, without: plan.held, limit: limit, atLeast: plan.count, maximumBytes: Self.maximumBytesAhead
        ).sorted(by: Self.isBefore)
        // Of a few entries none is claimed ahead: the app can still change what waits.
        let isBacklog = plan.ahead > 0 && candidates.count >= limit
        result.next.isBacklog = isBacklog
        for var row in candidates.prefix(isBacklog ? limit : plan.count) {
            if let expires = row.expires, expires <= wallTime {
                try expire(&row)
                if options.failureBlocks == .everything { return }
            } else {
                row.phase = .sending
                row.sender = owner
                row.attempts &+= 1
                try entries.claim(row)
                row.edits = try edits?.edits(of: row.id.editID) ?? []
                result.next.claimed.append(row)
            }
        }
        result.next.hasMore = candidates.count >= max(1, plan.count)
    }

    private func expire(_ row: inout EntryRow) throws {
        row.phase = .failed
        row.failure = OutboxFailure(
            .expired, "Expired before it was sent; retry it with a new expiry, or discard it.")
        try entries.updateProgress(row)
    }

    /// A longer wait was perhaps stored before the clock was set back: it is tried once, at the start.
    private var longestWait: Int64 {
        max(.seconds(7200), (options.backoff.maximumRetryAfter ?? .zero) * 2).milliseconds
    }

    private static func isBefore(_ one: EntryRow, _ other: EntryRow) -> Bool {
        one.request.priority == other.request.priority
            ? one.number < other.number : one.request.priority > other.request.priority
    }
}
