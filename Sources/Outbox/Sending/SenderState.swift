import Queueing
import StoreCore

/// What a sender does next: a state machine without I/O.
///
/// One transaction at a time settles the outcomes that have come meanwhile, and claims further entries. So the rate is
/// not limited by the time of a commit while several entries are in flight.
///
/// ```
/// idle        -entry added, time come, resumed->    transacting (claims)
/// transacting -entries claimed->                    sending
/// sending     -outcome, renewal due->               transacting (settles, claims)
/// sending     -nothing in flight, none claimed->    idle, lease released
/// transacting -error of the store->                 waiting, then transacting again
/// any         -stop->                               transacting until nothing is in flight, then ended
/// ```
struct SenderState: Sendable {
    /// The next step of the sender.
    enum Step: Sendable {
        /// Run a transaction, then call ``SenderState/transacted(_:now:)`` or ``SenderState/failed(_:now:)``.
        case transact(Plan)
        /// Wait for an event, or until a time of the clock.
        case wait(until: Duration?)
        /// End.
        case end
    }

    /// One transaction.
    struct Plan: Sendable {
        /// The outcomes to settle.
        var outcomes: [SendOutcome]
        /// The number of entries to claim.
        var count: Int
        /// The users whose entries are claimed.
        var users: [String]
        /// The origins to which nothing is sent.
        var held: Set<String>
        /// The copied bodies that may be unused.
        var files: Set<String>
        /// True if there may be delayed entries.
        var hasDelayed: Bool
        /// True if other entries are in flight, so that the lease is kept.
        var hasInFlight: Bool
    }

    /// What a transaction has found.
    struct Result: Sendable {
        /// The entries to send.
        var claimed: [EntryRow] = []
        /// The time of the clock at which a delayed entry is ready; nil without one.
        var nextDue: Duration?
        /// The time of the clock at which to try to get the lease; nil if this sender has or had it.
        var leaseRetry: Duration?
        /// True if there may be further entries to claim.
        var hasMore = false
        /// True if there may be delayed entries.
        var hasDelayed = true
        /// True if this sender has the lease.
        var hasLease = false
    }

    let maximumConcurrent: Int
    /// A third of the lease's duration: two renewals may fail.
    let renewalInterval: Duration
    var users: [String]
    private(set) var pauses: Set<PauseReason>
    private(set) var holds = OriginHolds()
    private(set) var inFlight: [OutboxEntry.ID: String] = [:]
    private(set) var storeError: StoreError?
    private(set) var isStopping = false
    private var outcomes: [SendOutcome] = []
    private var files: Set<String> = []
    /// True if there may be entries to claim.
    private var hasWork = true
    private var hasLease = false
    private var hasDelayed = true
    private var nextTry: Duration?
    /// The origins that the last claim has left out.
    private var leftOut: Set<String> = []
    private var renewal = Duration.zero
    private var storeFailures = 0
    private var storeRetry: Duration?

    init(maximumConcurrent: Int, leaseDuration: Duration, users: [String], pauses: Set<PauseReason>) {
        self.maximumConcurrent = max(1, maximumConcurrent)
        renewalInterval = leaseDuration / 3
        self.users = users
        self.pauses = pauses
    }

    // MARK: Events

    /// There may be an entry to claim.
    mutating func wake() { hasWork = true }

    /// There may be an entry to claim, also for an origin that did not respond.
    mutating func sendNow() {
        holds.clear()
        hasWork = true
    }

    /// A copied body may be unused once the transaction of now has ended.
    mutating func checkFile(_ path: String) { files.insert(path) }

    /// The entries of a user are sent from now on, in addition to those of no user.
    mutating func signIn(_ user: String) {
        users = users.filter(\.isEmpty) + (user.isEmpty ? [] : [user])
        hasWork = true
    }

    mutating func pause(_ reason: PauseReason) { pauses.insert(reason) }

    mutating func resume(_ reason: PauseReason) {
        guard pauses.remove(reason) != nil else { return }
        if reason == .offline { holds.clear() }
        hasWork = true
    }

    mutating func stop() { isStopping = true }

    /// An entry was sent, or not.
    mutating func ended(_ outcome: SendOutcome) {
        inFlight[outcome.id] = nil
        outcomes.append(outcome)
    }

    /// A server has responded, or not.
    mutating func noted(_ origin: String, isResponding: Bool, until end: Duration) {
        if isResponding { holds.responded(origin) } else { holds.failed(origin, until: end) }
    }

    /// A transaction was committed.
    /// - Returns: the entries to send now; those of a user that has signed out meanwhile are ended at once.
    mutating func transacted(_ result: Result, now: Duration) -> [EntryRow] {
        (storeError, storeFailures, storeRetry) = (nil, 0, nil)
        hasLease = result.hasLease
        hasDelayed = result.hasDelayed
        // An entry that was added during the transaction is not lost.
        hasWork = hasWork || result.hasMore
        nextTry = [result.nextDue, result.leaseRetry].compactMap { $0 }.min()
        renewal = now + renewalInterval
        var sent: [EntryRow] = []
        for row in result.claimed {
            inFlight[row.id] = row.user
            if users.contains(row.user), !isStopping {
                sent.append(row)
            } else {
                ended(SendOutcome(id: row.id, result: .unsent, wait: .zero))
            }
        }
        return sent
    }

    /// A transaction was rolled back; its outcomes are settled by the next one.
    mutating func failed(_ plan: Plan, _ error: StoreError, now: Duration) {
        outcomes = plan.outcomes + outcomes
        files.formUnion(plan.files)
        // Another writer has the store for a moment: that is no failure.
        if error.code != .busy { storeError = error }
        storeFailures += 1
        hasWork = true
        let wait: Duration = error.code == .busy ? .milliseconds(100) : .seconds(1 << min(storeFailures - 1, 5))
        storeRetry = now + wait
    }

    // MARK: Next step

    /// The next step. A plan takes the outcomes with it.
    mutating func step(now: Duration) -> Step {
        if let retry = storeRetry {
            // An outbox that ends does not wait for a broken store: its entries are in flight in the store, and the
            // next sender sends them again.
            if isStopping, inFlight.isEmpty, storeFailures > 3 { return .end }
            guard retry <= now else { return .wait(until: retry) }
            storeRetry = nil
        }
        if let nextTry, nextTry <= now { hasWork = true }
        let held = holds.held(at: now)
        if !leftOut.isSubset(of: held) { hasWork = true }
        let free = isStopping || !pauses.isEmpty ? 0 : maximumConcurrent - inFlight.count
        let mustRenew = !inFlight.isEmpty && renewal <= now
        let mustRelease = isStopping && inFlight.isEmpty && hasLease
        guard !outcomes.isEmpty || !files.isEmpty || (hasWork && free > 0) || mustRenew || mustRelease else {
            if isStopping, inFlight.isEmpty { return .end }
            return .wait(until: wakeUp(isClaiming: free > 0, now: now))
        }
        if free > 0 { leftOut = held }
        defer { (outcomes, files, hasWork) = ([], [], false) }
        return .transact(
            Plan(
                outcomes: outcomes, count: max(0, free), users: users, held: held, files: files,
                hasDelayed: hasDelayed,
                hasInFlight: !inFlight.isEmpty))
    }

    private func wakeUp(isClaiming: Bool, now: Duration) -> Duration? {
        var times: [Duration] = []
        if !inFlight.isEmpty { times.append(renewal) }
        if isClaiming { times += [nextTry, holds.nextEnd(after: now)].compactMap { $0 } }
        return times.min()
    }
}
