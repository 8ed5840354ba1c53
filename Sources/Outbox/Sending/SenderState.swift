import Queueing
import StoreCore

/// What a sender does next: a state machine without I/O.
///
/// One transaction at a time settles the outcomes that have come meanwhile, and claims further entries. So the rate is
/// not limited by the time of a commit while several entries are in flight. Of a long backlog it claims more than it
/// sends at a time: those are queued here, and while there are any, a transaction settles several outcomes. A kill
/// before that sends them again, under the same Idempotency-Keys.
///
/// ```
/// idle        -entry added, time come, resumed->    transacting (claims)
/// transacting -entries claimed->                    sending
/// sending     -outcome, an entry is queued->        sending (that one)
/// sending     -outcome, few are queued->            transacting (settles, claims)
/// sending     -many outcomes, renewal due->         transacting (settles)
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
        /// The number of entries to claim in addition, unless there are fewer.
        var ahead = 0
        /// True to look at the keys of new entries, also if none is to be claimed.
        var admits = false
        /// The users whose entries are claimed.
        var users: [String]
        /// The origins to which nothing is sent.
        var held: Set<String>
        /// The copied bodies that may be unused.
        var files: Set<String>
        /// True if there may be delayed entries.
        var hasDelayed: Bool
        /// The entries in flight.
        var inFlight: Set<OutboxEntry.ID>
        /// True if there are any, or queued ones, so that the lease is kept.
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
        /// True if there are further new entries, which may have a higher priority than what was claimed.
        var hasNew = false
        /// True if entries were claimed ahead, false if there were too few; nil if none was to be claimed.
        var isBacklog: Bool?
        /// True if there may be delayed entries.
        var hasDelayed = true
        /// True if another sender has had the lease, or the store has become an older copy: what this one had claimed
        /// is released.
        var hasLostLease = false
        /// True if this sender has the lease.
        var hasLease = false
    }

    /// How long an outcome waits for others at most, after the last transaction.
    private static let settleDelay = Duration.milliseconds(50)

    let maximumConcurrent: Int
    /// The number of entries to claim ahead.
    let batch: Int
    /// A third of the lease's duration: two renewals may fail.
    let renewalInterval: Duration
    var users: [String] { didSet { userChangeCount &+= 1 } }
    /// The number of changes of the users: what was read for those before is out of date.
    private(set) var userChangeCount = 0
    /// The user that is signed in, or else the one that was last.
    private(set) var lastUser: String?
    private(set) var pauses: Set<PauseReason>
    private(set) var holds = SendHolds()
    /// Claimed entries that are sent next, in that order.
    private var queued: ArraySlice<EntryRow> = []
    private var isBacklog = false
    private var settleTime = Duration.zero
    private(set) var inFlight: [OutboxEntry.ID: String] = [:]
    private(set) var storeError: StoreError?
    private(set) var isStopping = false
    private var outcomes: [SendOutcome] = []
    private var files: Set<String> = []
    /// True if there may be entries to claim.
    private var hasWork = true
    /// True if there may be new entries whose keys were not looked at.
    private var hasNew = false
    private var hasLease = false
    private var hasDelayed = true
    private var nextTry: Duration?
    /// What the last claim has left out.
    private var leftOut: Set<SendHolds.Subject> = []
    private var renewal = Duration.zero
    private var storeFailures = 0
    private var storeRetry: Duration?

    init(
        maximumConcurrent: Int, batch: Int = 0, leaseDuration: Duration, users: [String], pauses: Set<PauseReason>
    ) {
        self.maximumConcurrent = min(max(1, maximumConcurrent), 1 << 16)
        self.batch = batch
        renewalInterval = max(leaseDuration, .milliseconds(3)) / 3
        self.users = users
        lastUser = users.last { !$0.isEmpty }
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
        lastUser = users.last { !$0.isEmpty } ?? lastUser
        for user in users { holds.succeeded(.user(user)) }
        (hasWork, hasDelayed) = (true, true)
    }

    /// Nothing more of a user is sent.
    mutating func signOut(_ user: String) {
        users.removeAll { $0 == user }
        releaseQueued { $0.user == user }
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
        if isResponding { holds.succeeded(.origin(origin)) } else { holds.failed(.origin(origin), until: end) }
    }

    /// The layers of the transport have signed out a user: the entries of that user wait for the next sign-in, or for a
    /// time, since an app need not tell the outbox of each.
    mutating func signedOut(_ user: String, until end: Duration) { holds.failed(.user(user), until: end) }

    /// A transaction was committed.
    /// - Returns: the entries to send now; those of a user that has signed out meanwhile are ended at once.
    mutating func transacted(_ result: Result, now: Duration) -> [EntryRow] {
        (storeError, storeFailures, storeRetry) = (nil, 0, nil)
        hasLease = result.hasLease
        // An entry that was added, and a user that has signed in during the transaction, is not lost.
        hasDelayed = hasDelayed || result.hasDelayed
        hasWork = hasWork || result.hasMore
        hasNew = result.hasNew
        nextTry = [result.nextDue, result.leaseRetry].compactMap { $0 }.min()
        renewal = now + renewalInterval
        settleTime = now + Self.settleDelay
        isBacklog = result.isBacklog ?? isBacklog
        // Another sender has the lease, and sends them, or has had it.
        if result.leaseRetry != nil || result.hasLostLease { queued = [] }
        // An attempt that began before the lease was lost, and is in flight still, is that of the entry again. So is
        // one that has ended during the transaction: the next transaction settles it.
        let ended = Set(outcomes.map(\.id))
        queued += result.claimed.filter { inFlight[$0.id] == nil && !ended.contains($0.id) }
        // A user may have signed out during the transaction.
        let users = users
        releaseQueued { !users.contains($0.user) }
        return startNext(now: now)
    }

    /// Takes queued entries as far as there are slots.
    /// - Returns: the entries to send now; those that must not be sent any more are ended at once.
    mutating func startNext(now: Duration) -> [EntryRow] {
        if isStopping || !pauses.isEmpty { releaseQueued { _ in true } }
        var sent: [EntryRow] = []
        // A sender that was suspended for long asks for the lease first.
        while inFlight.count < maximumConcurrent, renewal > now, let row = queued.popFirst() {
            if users.contains(row.user), !isHeld(row, at: now) {
                inFlight[row.id] = row.user
                sent.append(row)
            } else {
                outcomes.append(SendOutcome(id: row.id, result: .unsent, wait: .zero))
            }
        }
        return sent
    }

    private func isHeld(_ row: EntryRow, at now: Duration) -> Bool {
        holds.isHeld(.origin(row.request.origin), at: now) || holds.isHeld(.user(row.user), at: now)
    }

    private mutating func releaseQueued(_ isReleased: (EntryRow) -> Bool) {
        outcomes += queued.filter(isReleased).map { SendOutcome(id: $0.id, result: .unsent, wait: .zero) }
        queued.removeAll(where: isReleased)
    }

    /// A transaction was rolled back; its outcomes are settled by the next one.
    mutating func failed(_ plan: Plan, _ error: StoreError, now: Duration) {
        outcomes = plan.outcomes + outcomes
        files.formUnion(plan.files)
        hasDelayed = hasDelayed || plan.hasDelayed
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
        if isStopping || !pauses.isEmpty { releaseQueued { _ in true } }
        let held = holds.held(at: now)
        if !leftOut.isSubset(of: held) { (hasWork, hasDelayed) = (true, true) }
        let isClaiming = !isStopping && pauses.isEmpty
        let free = isClaiming ? maximumConcurrent - inFlight.count - queued.count : 0
        // Half of what is claimed ahead is sent while the transaction for the other half runs.
        let isLow = queued.count <= batch / 2
        let mustClaim = hasWork && (queued.isEmpty ? free > 0 : isBacklog && isLow)
        let mustSettle =
            !outcomes.isEmpty && (queued.isEmpty || outcomes.count >= max(batch, 1) || settleTime <= now)
        let isSending = !inFlight.isEmpty || !queued.isEmpty
        let mustRelease = isStopping && !isSending && hasLease
        let mustAdmit = hasNew && isClaiming
        guard mustSettle || mustClaim || mustAdmit || !files.isEmpty || (isSending && renewal <= now) || mustRelease
        else {
            if isStopping, inFlight.isEmpty { return .end }
            return .wait(until: wakeUp(isClaiming: free > 0, now: now))
        }
        // None is claimed ahead of a new entry, which may have a higher priority.
        let ahead = isClaiming && isLow && !hasNew ? max(0, batch - queued.count) : 0
        if free > 0 || ahead > 0 { leftOut = held }
        defer { (outcomes, files, hasWork, hasNew, hasDelayed) = ([], [], false, false, false) }
        return .transact(
            Plan(
                outcomes: outcomes, count: max(0, free), ahead: ahead, admits: isClaiming,
                users: users.filter { !held.contains(.user($0)) },
                held: Set(held.compactMap { if case .origin(let origin) = $0 { origin } else { nil } }), files: files,
                hasDelayed: hasDelayed, inFlight: Set(inFlight.keys), hasInFlight: isSending))
    }

    /// True if the next step is to wait, so that an event has not changed it.
    func mustWait(now: Duration) -> Bool {
        var next = self
        return if case .wait = next.step(now: now) { true } else { false }
    }

    private func wakeUp(isClaiming: Bool, now: Duration) -> Duration? {
        var times: [Duration] = []
        if !inFlight.isEmpty { times.append(renewal) }
        if !queued.isEmpty, settleTime > now { times.append(settleTime) }
        if isClaiming { times += [nextTry, holds.nextEnd(after: now)].compactMap { $0 } }
        return times.min()
    }
}
