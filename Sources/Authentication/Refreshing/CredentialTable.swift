import Coordination
import HTTPMessages

/// State machine of the credentials of all scopes, and of the calls that wait for them.
///
/// Each scope has its own states. A refresh is a flight of ``SingleFlight``, which goes on without waiters:
///
/// ```
/// empty      -join->             refreshing   the caller starts the refresh
/// valid      -lease, join->      valid        the credential is used
/// valid      -reject, expiry->   invalid      kept as the previous one, for its refresh token
/// valid      -join in leeway->   refreshing   the caller starts the refresh, and uses the credential meanwhile
/// invalid    -join->             refreshing   or refused after too many failures
/// refreshing -join, cancel->     refreshing   a waiter more or less; without waiters, the refresh continues
/// refreshing -join in leeway->   refreshing   the credential is used, unless it was rejected
/// refreshing -finish->           valid        all waiters get the credential
/// refreshing -finish: error->    invalid      all waiters get the error; valid in leeway, empty without a credential
/// refreshing -interruptible->    refreshing   without waiters abandoned: invalid, valid or empty, as after an error
/// any        -insert->           valid        all waiters get the credential; a refresh is abandoned
/// any        -remove->           empty        a refresh completes for its waiters only; without any, it is abandoned
/// any        -removeAll->        empty        a sign-out: the waiters get its error; all refreshes are abandoned
/// idle       -trim->             empty        if there are more scopes than the capacity
/// ```
/// Trimming follows the CLOCK algorithm (second chance), an approximation of LRU without a clock or a lock for a call.
struct CredentialTable<Scope: Hashable & Sendable, Credential: Sendable, Waiter: Sendable>: Sendable {
    typealias Lease = CredentialLease<Scope, Credential>
    typealias ID = SingleFlight<Scope, Waiter>.ID

    struct RefreshStart: Sendable {
        let id: ID
        let previous: Credential?
    }

    enum JoinResult: Sendable {
        case use(Lease)
        /// The waiter gets the outcome of a refresh in flight.
        case wait
        /// The same, and the caller starts the refresh.
        case start(RefreshStart)
        /// The caller uses the credential, which is valid for a while, and starts the refresh.
        case useAndStart(Lease, RefreshStart)
        case refuse(retryAfter: Duration)
    }

    struct FinishResult: Sendable {
        let waiters: [Waiter]
        /// Nil passes the refresh's error on.
        let lease: Lease?
    }

    private struct Entry {
        /// The last credential, for its refresh, and for calls in its leeway.
        var last: Lease?
        var isRejected = false
        /// The times of failures, oldest first.
        var failures: [Duration] = []
        /// The last time at which a call joined, or at which a trim found the credential used.
        var lastUse = Duration.zero

        /// The last credential as long as it is valid, its leeway included.
        func unexpired(now: Duration) -> Lease? {
            guard let last, !isRejected, last.expiry.map({ now < $0 }) ?? true else { return nil }
            return last
        }

        /// The time until a refresh is allowed again; nil if it is allowed.
        mutating func refusal(by policy: RefreshPolicy, now: Duration) -> Duration? {
            failures.removeAll { now - $0 >= policy.window }
            guard failures.count >= policy.maximumFailures else { return nil }
            let freed = failures.count - policy.maximumFailures
            return failures.dropFirst(freed).first.map { $0 + policy.window - now } ?? policy.window
        }
    }

    private let policy: RefreshPolicy
    /// The number of the last sign-out; 0 before the first one.
    private var signOut = 0
    /// Maximum number of scopes, except that those with a refresh in flight always stay.
    private let capacity: Int
    /// The credentials that calls may use until they are due for a refresh.
    private(set) var usable: [Scope: Lease] = [:]
    private var entries: [Scope: Entry] = [:]
    private var refreshes = SingleFlight<Scope, Waiter>(keepsUnawaited: true)
    /// Refreshes whose outcome has no use any more, until the next ``takeAbandoned()``.
    private var abandoned: [ID] = []
    private var trimmed: [Scope] = []

    init(policy: RefreshPolicy, capacity: Int = 1000) {
        self.policy = policy
        self.capacity = max(1, capacity)
    }

    /// The number of waiters.
    var waiterCount: Int { refreshes.waiterCount }

    /// The number of refreshes in flight.
    var refreshCount: Int { refreshes.count }

    /// Makes an ID for a waiter or a credential; later IDs are greater.
    mutating func makeID() -> ID { refreshes.makeID() }

    /// The credential of a scope, unless it needs a refresh.
    func lease(_ scope: Scope, now: Duration) -> Lease? {
        usable[scope].flatMap { $0.isFresh(now: now) ? $0 : nil }
    }

    /// The last credential of a scope, also one that is due for a refresh or rejected.
    func last(_ scope: Scope) -> Lease? { entries[scope]?.last }

    // MARK: Calls

    /// Whether ``join(_:id:for:now:)`` gets a credential or waits for one; false if it would be refused.
    func mayJoin(_ scope: Scope, now: Duration) -> Bool {
        guard var entry = entries[scope] else { return policy.maximumFailures > 0 }
        return lease(scope, now: now) != nil || refreshes.flight(of: scope) != nil
            || entry.refusal(by: policy, now: now) == nil
    }

    /// Adds a waiter, unless there is a credential.
    mutating func join(_ waiter: Waiter, id: ID, for scope: Scope, now: Duration) -> JoinResult {
        if let lease = lease(scope, now: now) {
            lease.markUsed()
            return .use(lease)
        }
        var entry = entries.removeValue(forKey: scope) ?? Entry()
        entry.lastUse = now
        defer {
            entries[scope] = entry
            trim(now: now)
        }
        let valid = entry.unexpired(now: now)
        if refreshes.flight(of: scope) != nil {
            if let valid { return .use(valid) }
            _ = refreshes.join(waiter, id: id, for: scope)
            return .wait
        }
        if let retryAfter = entry.refusal(by: policy, now: now) {
            return valid.map { .use($0) } ?? .refuse(retryAfter: retryAfter)
        }
        usable[scope] = nil
        let previous = entry.last?.credential
        guard let valid else {
            return .start(RefreshStart(id: refreshes.join(waiter, id: id, for: scope).flight, previous: previous))
        }
        return .useAndStart(valid, RefreshStart(id: refreshes.begin(scope), previous: previous))
    }

    /// Removes a waiter; nil if it is no longer waiting.
    mutating func cancel(_ id: ID) -> Waiter? {
        guard let cancelled = refreshes.cancel(id) else { return nil }
        if let refresh = cancelled.abandonedFlight { abandoned.append(refresh) }
        return cancelled.waiter
    }

    /// Marks a credential as rejected, so that the next call replaces it.
    mutating func reject(_ scope: Scope, _ lease: Lease, now: Duration) {
        guard let entry = entries[scope], entry.last?.generation == lease.generation, !entry.isRejected else { return }
        usable[scope] = nil
        entries[scope]?.isRejected = true
        if !lease.isAccepted { entries[scope]?.failures.append(now) }
    }

    /// Marks a credential as accepted by a server.
    mutating func accept(_ scope: Scope, _ lease: Lease) {
        lease.accept()
        if entries[scope]?.last?.generation == lease.generation { entries[scope]?.failures = [] }
    }

    // MARK: Refreshes

    /// Whether the outcome of a refresh has a use.
    func isInUse(_ refresh: ID) -> Bool { refreshes.isInFlight(refresh) }

    /// Lets a refresh end with its last waiter, or go on without.
    /// - Returns: false if it was abandoned, now or before.
    mutating func setInterruptible(_ isInterruptible: Bool, _ refresh: ID) -> Bool {
        if refreshes.setKeepsUnawaited(!isInterruptible, for: refresh) { abandoned.append(refresh) }
        return isInUse(refresh)
    }

    /// The refreshes that were abandoned since the last call.
    mutating func takeAbandoned() -> [ID] {
        defer { abandoned = [] }
        return abandoned
    }

    /// Ends a refresh.
    /// - Parameters:
    ///   - issued: the new credential; nil after a failure.
    ///   - countsFailure: whether a failure counts for the policy's maximum.
    mutating func finish(
        _ refresh: ID, for scope: Scope, issued: IssuedCredential<Credential>?, countsFailure: Bool = true,
        now: Duration
    ) -> FinishResult {
        let isCurrent = refreshes.flight(of: scope) == refresh
        // One that was detached is that of the calls that wait, as of before a sign-out.
        let lease = issued.map { makeLease($0, for: scope, signOut: isCurrent ? signOut : 0, now: now) }
        if isCurrent {
            if let lease {
                usable[scope] = lease
                entries[scope]?.last = lease
                entries[scope]?.isRejected = false
            } else if countsFailure {
                entries[scope]?.failures.append(now)
            }
        }
        return FinishResult(waiters: refreshes.finish(refresh), lease: lease)
    }

    // MARK: Changes

    /// Stores a credential that no refresh has obtained.
    mutating func insert(_ issued: IssuedCredential<Credential>, for scope: Scope, now: Duration) -> FinishResult {
        let lease = makeLease(issued, for: scope, signOut: signOut, now: now)
        let refresh = refreshes.flight(of: scope)
        let waiters = refresh.map { refreshes.takeWaiters(of: $0) } ?? []
        remove(scope)
        entries[scope] = Entry(last: lease, lastUse: now)
        usable[scope] = lease
        trim(now: now)
        return FinishResult(waiters: waiters, lease: lease)
    }

    /// Forgets a credential that is no longer current, though no server has rejected it.
    mutating func forget(_ scope: Scope, _ lease: Lease) {
        guard entries[scope]?.last?.generation == lease.generation else { return }
        usable[scope] = nil
        entries[scope]?.last = nil
        entries[scope]?.isRejected = false
    }

    /// Removes a credential and the failures of its scope, unless it is replaced already.
    mutating func remove(_ scope: Scope, _ lease: Lease) {
        if entries[scope]?.last?.generation == lease.generation { remove(scope) }
    }

    /// Removes the credential and the failures of a scope.
    mutating func remove(_ scope: Scope) {
        usable[scope] = nil
        entries[scope] = nil
        if let refresh = refreshes.detach(scope) { abandoned.append(refresh) }
    }

    /// Removes all credentials and failures of a user who signs out.
    ///
    /// A refresh in flight obtains a credential of either user: the authorizer may have that of the next one already.
    /// - Parameters:
    ///   - number: that of the sign-out.
    ///   - endsWaits: false if the authorizer sees to it that a refresh ends with the user of its start.
    /// - Returns: the waiters, which get no credential.
    mutating func removeAll(signOut number: Int, endsWaits: Bool = true) -> [Waiter] {
        signOut = number
        guard endsWaits else {
            for scope in Array(entries.keys) { remove(scope) }
            return []
        }
        (usable, entries) = ([:], [:])
        let (flights, waiters) = refreshes.abandonAll()
        abandoned += flights
        return waiters
    }

    /// The scopes that were trimmed since the last call.
    mutating func takeTrimmed() -> [Scope] {
        defer { trimmed = [] }
        return trimmed
    }

    /// Removes idle scopes down to three quarters of the capacity, so that the cost per new scope is amortized.
    private mutating func trim(now: Duration) {
        guard entries.count > capacity else { return }
        var idle: [(scope: Scope, lastUse: Duration)] = []
        for (scope, entry) in entries where refreshes.flight(of: scope) == nil {
            if entry.last?.takeUsed() == true { entries[scope]?.lastUse = now }
            idle.append((scope, entries[scope]?.lastUse ?? now))
        }
        let surplus = entries.count - (capacity - capacity / 4)
        for (scope, _) in idle.sorted(by: { $0.lastUse < $1.lastUse }).prefix(surplus) {
            entries[scope] = nil
            usable[scope] = nil
            trimmed.append(scope)
        }
    }

    private mutating func makeLease(
        _ issued: IssuedCredential<Credential>, for scope: Scope, signOut: Int, now: Duration
    ) -> Lease {
        let lifetime = issued.lifetime.map { min($0, .century) }
        let expiry = lifetime.map { now + max($0, .zero) }
        let refreshTime = expiry.map { $0 - max(.zero, min(policy.leeway, (lifetime ?? .zero) / 10)) }
        return Lease(
            issued.credential, of: issued.cacheUser, for: scope, generation: makeID(), signOut: signOut,
            refreshTime: refreshTime,
            expiry: expiry)
    }
}
