import HTTPMessages

/// State machine of the credentials of all scopes, and of the calls that wait for them.
///
/// Each scope has its own states (single flight):
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
/// refreshing -keepIfAwaited->    invalid      without waiters, as after an error; else the refresh starts again
/// any        -insert->           valid        all waiters get the credential; a refresh is abandoned
/// any        -remove->           empty        a refresh completes for its waiters only; without any, it is abandoned
/// refreshing -abandonUnawaited-> invalid      without waiters; valid in leeway, empty without a credential
/// idle       -trim->             empty        if there are more scopes than the capacity
/// ```
/// Trimming follows the CLOCK algorithm (second chance), an approximation of LRU that costs a call no clock and no lock.
struct CredentialTable<Scope: Hashable & Sendable, Credential: Sendable, Waiter: Sendable>: Sendable {
    typealias Lease = CredentialLease<Scope, Credential>

    struct RefreshStart: Sendable {
        let id: UInt64
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
        var waiters: [Waiter] = []
        /// Nil passes the refresh's error on.
        var lease: Lease?
    }

    private struct Refresh {
        let id: UInt64
        var waiters: [UInt64: Waiter] = [:]

        var orderedWaiters: [Waiter] { waiters.sorted { $0.key < $1.key }.map(\.value) }
    }

    private struct Entry {
        /// The last credential, for its refresh, and for calls in its leeway.
        var last: Lease?
        var isRejected = false
        var refresh: Refresh?
        /// The times of failures, oldest first.
        var failures: [Duration] = []
        /// The last time at which a call joined, or at which a trim found the credential used.
        var lastUse = Duration.zero

        /// The last credential as long as it is valid, its leeway included.
        func unexpired(now: Duration) -> Lease? {
            guard let last, !isRejected, last.expiry.map({ now < $0 }) ?? true else { return nil }
            return last
        }
    }

    private let policy: RefreshPolicy
    /// Maximum number of scopes, except that those with a refresh in flight always stay.
    private let capacity: Int
    /// The credentials that calls may use until they are due for a refresh.
    private(set) var usable: [Scope: Lease] = [:]
    private var entries: [Scope: Entry] = [:]
    /// Refreshes whose scope was removed or replaced meanwhile, and that calls still wait for.
    private var obsolete: [UInt64: Refresh] = [:]
    /// Refreshes whose outcome has no use any more, until the next ``takeAbandoned()``.
    private var abandoned: [UInt64] = []
    private var trimmed: [Scope] = []
    private var lastID: UInt64 = 0

    init(policy: RefreshPolicy, capacity: Int = 1000) {
        self.policy = policy
        self.capacity = max(1, capacity)
    }

    /// The number of waiters.
    var waiterCount: Int {
        entries.values.reduce(0) { $0 + ($1.refresh?.waiters.count ?? 0) }
            + obsolete.values.reduce(0) { $0 + $1.waiters.count }
    }

    /// The number of refreshes in flight.
    var refreshCount: Int { entries.values.count { $0.refresh != nil } + obsolete.count }

    /// Makes an ID for a waiter, a refresh or a credential; later IDs are greater.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// The credential of a scope, unless it needs a refresh.
    func lease(_ scope: Scope, now: Duration) -> Lease? {
        usable[scope].flatMap { $0.isFresh(now: now) ? $0 : nil }
    }

    /// Whether ``join(_:id:for:now:)`` gets a credential or waits for one; false if it would be refused.
    func mayJoin(_ scope: Scope, now: Duration) -> Bool {
        guard let entry = entries[scope] else { return policy.maximumFailures > 0 }
        return lease(scope, now: now) != nil || entry.refresh != nil
            || entry.failures.count { now - $0 < policy.window } < policy.maximumFailures
    }

    /// Adds a waiter, unless there is a credential.
    mutating func join(_ waiter: Waiter, id: UInt64, for scope: Scope, now: Duration) -> JoinResult {
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
        if entry.refresh != nil {
            if let valid { return .use(valid) }
            entry.refresh?.waiters[id] = waiter
            return .wait
        }
        entry.failures.removeAll { now - $0 >= policy.window }
        if entry.failures.count >= policy.maximumFailures {
            if let valid { return .use(valid) }
            let freed = entry.failures.count - policy.maximumFailures
            guard let failure = entry.failures.dropFirst(freed).first else {
                return .refuse(retryAfter: policy.window)
            }
            return .refuse(retryAfter: failure + policy.window - now)
        }
        let start = RefreshStart(id: makeID(), previous: entry.last?.credential)
        usable[scope] = nil
        entry.refresh = Refresh(id: start.id)
        if let valid { return .useAndStart(valid, start) }
        entry.refresh?.waiters[id] = waiter
        return .start(start)
    }

    /// Marks a credential as rejected, so that the next call replaces it.
    mutating func reject(_ scope: Scope, _ lease: Lease, now: Duration) {
        guard let entry = entries[scope], entry.last?.generation == lease.generation, !entry.isRejected else { return }
        usable[scope] = nil
        entries[scope]?.isRejected = true
        if !lease.isAccepted { entries[scope]?.failures.append(now) }
    }

    /// Forgets a credential that is no longer current, though no server has rejected it.
    mutating func forget(_ scope: Scope, _ lease: Lease) {
        guard entries[scope]?.last?.generation == lease.generation else { return }
        usable[scope] = nil
        entries[scope]?.last = nil
        entries[scope]?.isRejected = false
    }

    /// Marks a credential as accepted by a server.
    mutating func accept(_ scope: Scope, _ lease: Lease) {
        lease.accept()
        if entries[scope]?.last?.generation == lease.generation { entries[scope]?.failures = [] }
    }

    /// Removes a waiter; nil if it is no longer waiting.
    mutating func cancel(_ id: UInt64, for scope: Scope) -> Waiter? {
        if let waiter = entries[scope]?.refresh?.waiters.removeValue(forKey: id) { return waiter }
        for var rest in obsolete.values {
            guard let waiter = rest.waiters.removeValue(forKey: id) else { continue }
            retire(rest)
            return waiter
        }
        return nil
    }

    /// Keeps a refresh for its waiters only, or abandons it.
    private mutating func retire(_ refresh: Refresh) {
        obsolete[refresh.id] = refresh.waiters.isEmpty ? nil : refresh
        if refresh.waiters.isEmpty { abandoned.append(refresh.id) }
    }

    /// Abandons the refreshes without waiters.
    mutating func abandonUnawaited() {
        for (scope, entry) in entries where entry.refresh?.waiters.isEmpty == true {
            if let refresh = entries[scope]?.refresh.take() { retire(refresh) }
        }
    }

    /// Whether the outcome of a refresh has a use.
    func isInUse(_ refresh: UInt64, of scope: Scope) -> Bool {
        entries[scope]?.refresh?.id == refresh || obsolete[refresh] != nil
    }

    /// The refreshes that were abandoned since the last call.
    mutating func takeAbandoned() -> [UInt64] {
        defer { abandoned = [] }
        return abandoned
    }

    /// Ends a refresh.
    /// - Parameters:
    ///   - issued: the new credential; nil after a failure.
    ///   - countsFailure: whether a failure counts for the policy's maximum.
    mutating func finish(
        _ id: UInt64, for scope: Scope, issued: IssuedCredential<Credential>?, countsFailure: Bool = true,
        now: Duration
    ) -> FinishResult {
        let lease = issued.map { hold($0, for: scope, now: now) }
        if let refresh = obsolete.removeValue(forKey: id) {
            return FinishResult(waiters: refresh.orderedWaiters, lease: lease)
        }
        guard var entry = entries[scope], let refresh = entry.refresh, refresh.id == id else { return FinishResult() }
        entry.refresh = nil
        if let lease {
            usable[scope] = lease
            (entry.last, entry.isRejected) = (lease, false)
        } else if countsFailure {
            entry.failures.append(now)
        }
        entries[scope] = entry
        return FinishResult(waiters: refresh.orderedWaiters, lease: lease)
    }

    /// Whether calls wait for a refresh.
    func isAwaited(_ id: UInt64, for scope: Scope) -> Bool {
        if let refresh = entries[scope]?.refresh, refresh.id == id { return !refresh.waiters.isEmpty }
        return obsolete[id].map { !$0.waiters.isEmpty } ?? false
    }

    /// Ends a refresh that was abandoned, unless calls wait for it again.
    /// - Returns: true if the caller has to start it again.
    mutating func keepIfAwaited(_ id: UInt64, for scope: Scope) -> Bool {
        guard !isAwaited(id, for: scope) else { return true }
        obsolete[id] = nil
        if entries[scope]?.refresh?.id == id { entries[scope]?.refresh = nil }
        return false
    }

    /// Stores a credential that no refresh has obtained.
    mutating func insert(_ issued: IssuedCredential<Credential>, for scope: Scope, now: Duration) -> FinishResult {
        let lease = hold(issued, for: scope, now: now)
        let waiters = entries[scope]?.refresh?.orderedWaiters ?? []
        if let refresh = entries[scope]?.refresh { retire(Refresh(id: refresh.id)) }
        entries[scope] = Entry(last: lease, lastUse: now)
        usable[scope] = lease
        trim(now: now)
        return FinishResult(waiters: waiters, lease: lease)
    }

    /// The last credential of a scope, also one that is due for a refresh or rejected.
    func last(_ scope: Scope) -> Lease? { entries[scope]?.last }

    /// Removes a credential and the failures of its scope, unless it is replaced already.
    mutating func remove(_ scope: Scope, _ lease: Lease) {
        if entries[scope]?.last?.generation == lease.generation { remove(scope) }
    }

    /// Removes the credential and the failures of a scope.
    mutating func remove(_ scope: Scope) {
        usable[scope] = nil
        if let refresh = entries.removeValue(forKey: scope)?.refresh { retire(refresh) }
    }

    /// Removes all credentials and failures.
    mutating func removeAll() { for scope in Array(entries.keys) { remove(scope) } }

    /// The scopes that were trimmed since the last call.
    mutating func takeTrimmed() -> [Scope] {
        defer { trimmed = [] }
        return trimmed
    }

    /// Removes idle scopes down to three quarters of the capacity, so that the cost per new scope is amortized.
    private mutating func trim(now: Duration) {
        guard entries.count > capacity else { return }
        var idle: [(scope: Scope, lastUse: Duration)] = []
        for (scope, entry) in entries where entry.refresh == nil {
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

    private mutating func hold(_ issued: IssuedCredential<Credential>, for scope: Scope, now: Duration) -> Lease {
        let lifetime = issued.lifetime.map { min($0, .century) }
        let expiry = lifetime.map { now + max($0, .zero) }
        let refreshTime = expiry.map { $0 - max(.zero, min(policy.leeway, (lifetime ?? .zero) / 10)) }
        return Lease(issued.credential, for: scope, generation: makeID(), refreshTime: refreshTime, expiry: expiry)
    }
}
