package import Coordination
package import HTTPMessages
import Synchronization
import Transport

/// The credentials of an authorizer: one per scope, obtained once however many calls wait for it.
///
/// ``Authorizing`` uses it. Share one between several transports, or ask it for a credential directly:
///
/// ```swift
/// let credentials = CredentialCache(tokens)
/// let token = try await credentials.credential(for: "items.read")
/// ```
///
/// A credential is replaced when it expires or a server rejects it. Meanwhile all calls of its scope wait (single
/// flight), and get the new credential or the error. Its refresh starts shortly before the expiry
/// (``RefreshPolicy/leeway``); until then calls use the credential that is still valid, so no call waits for a token
/// server that does not respond, or fails with its error.
///
/// Of more than 1,000 scopes, the least recently used ones without waiting calls are dropped.
///
/// Cancelling a call does not cancel the refresh, even if no other call waits: a server may have replaced the refresh
/// token already, and the new one would be lost. It is cancelled as soon as no call waits for it only while it asks the
/// app's user, and after its credential was removed or replaced, such as by a sign-out.
public final class CredentialCache<A: Authorizer>: Sendable {
    typealias Lease = CredentialLease<A.Scope, A.Credential>
    private typealias Waiter = Promise<Result<Lease, any Error>>
    private typealias Table = CredentialTable<A.Scope, A.Credential, Waiter>

    private struct State {
        var table: Table
        /// The tasks of the refreshes that are in use.
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    /// Supplies the credentials.
    public let authorizer: A
    /// When credentials are replaced.
    public let policy: RefreshPolicy
    let clock: AnyMonotonicClock
    private let state: Mutex<State>
    private let usable = UsableCredentials()
    /// See ``lastSignOut``.
    private let signOut = Atomic(0)
    /// The client that credentials at `AllowedOrigins.baseURL` belong to.
    package let owner = BaseURLOwner()

    /// Creates an empty cache.
    /// - Parameter clock: measures lifetimes, windows and timeouts.
    public convenience init(
        _ authorizer: A, policy: RefreshPolicy = .standard, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(authorizer, policy: policy, on: AnyMonotonicClock(clock))
    }

    /// Creates an empty cache with a clock of any type.
    package init(_ authorizer: A, policy: RefreshPolicy, on clock: AnyMonotonicClock) {
        self.authorizer = authorizer
        self.policy = policy
        self.clock = clock
        state = Mutex(State(table: CredentialTable(policy: policy)))
    }

    /// The credential of a scope: the cached one, or a new one.
    /// - Parameter timeout: maximum wait; nil waits as long as the authorizer takes.
    /// - Throws: the authorizer's errors; ``AuthenticationError`` (`tooManyRefreshes`, `signedOut`, and
    ///   `recursiveRefresh` if the authorizer itself calls this and would have to wait); `TransportError` (`cancelled`,
    ///   `timedOut`).
    public func credential(for scope: A.Scope, timeout: Duration? = nil) async throws -> A.Credential {
        let now = clock.now
        if let lease = lease(scope, now: now) { return lease.credential }
        guard !isRefreshing else {
            throw AuthenticationError(
                .recursiveRefresh,
                "The authorizer asked its own cache for a credential while it obtains one; obtain it directly.")
        }
        return try await wait(for: scope, limit: timeout.map { WaitLimit(deadline: now + $0, timeout: $0) }).credential
    }

    /// The cached credential of a scope, unless it needs a refresh.
    public func cachedCredential(for scope: A.Scope) -> A.Credential? { lease(scope, now: clock.now)?.credential }

    /// Stores a credential, such as one of a sign-in; waiting calls get it.
    public func insert(_ issued: IssuedCredential<A.Credential>, for scope: A.Scope) {
        let (issued, now) = (named(issued, for: scope), clock.now)
        let result = update(scope) { $0.insert(issued, for: scope, now: now) }
        if let lease = result.lease { for waiter in result.waiters { waiter.fulfill(.success(lease)) } }
    }

    /// Removes the credential of a scope. A refresh in flight completes for the calls that wait, and is not cached; if
    /// none waits, it is cancelled.
    public func remove(_ scope: A.Scope) { update(scope) { $0.remove(scope) } }

    /// Removes the credential of a scope, also one that is due for a refresh, if a condition holds for it.
    package func remove(_ scope: A.Scope, where condition: (A.Credential) -> Bool) {
        guard let lease = last(scope), condition(lease.credential) else { return }
        update(scope) { $0.remove(scope, lease) }
    }

    /// Removes all credentials, and forgets earlier failures; see ``remove(_:)``.
    ///
    /// This is a sign-out: a call that began before gets no credential that is obtained later, since it would be that
    /// of another user. If it is challenged, it returns the challenge; if it waits for a credential, or needs one for
    /// another attempt, it fails with ``AuthenticationError`` (`signedOut`). Refreshes in flight are cancelled. Then
    /// the authorizer forgets what it keeps itself (``Authorizer/forgetUsers()``): a ``PasswordAuthorizer`` its store.
    /// The tokens of an ``OAuthClient`` are removed by its own ``OAuthClient/signOut()``, before this.
    public func removeAll() { removeAll(endsWaits: true) }

    /// - Parameter endsWaits: false if each refresh is sure to end with the user of its start: it completes for the
    ///   calls that wait.
    package func removeAll(endsWaits: Bool) {
        func empty() -> [Waiter] {
            change { table in
                let number = SignOutClock.tick()
                let waiters = table.removeAll(signOut: number, endsWaits: endsWaits)
                usable.removeAll()
                // Last: a call that knows the number cannot get a credential from before.
                signOut.store(number, ordering: .releasing)
                return waiters
            }
        }
        var waiters = empty()
        // After the refreshes are cancelled: none can put back what is forgotten here.
        authorizer.forgetUsers()
        // Refreshes that began meanwhile may have what the authorizer has only now forgotten.
        waiters += empty()
        for waiter in waiters { waiter.fulfill(.failure(Self.signedOut(nil))) }
    }

    /// The number of the last sign-out among those of the process; 0 without one.
    package var lastSignOut: Int { signOut.load(ordering: .acquiring) }

    /// The number of calls that wait for a credential.
    var waiterCount: Int { state.withLock(\.table.waiterCount) }

    /// True in the task of a refresh of this cache: a wait for it would not end.
    package var isRefreshing: Bool { RunningWork.isCurrent(of: self) }

    /// The credential of a scope, unless it needs a refresh.
    func lease(_ scope: A.Scope, now: Duration) -> Lease? {
        guard let found = usable.lease(hash: scope.hashValue), found.isFresh(now: now) else { return nil }
        // Unchecked but right: `usable` is private to this cache, and only `update` stores in it, from a table of
        // `Lease`.
        let lease = unsafeDowncast(found, to: Lease.self)
        // Another scope may have the same hash.
        guard lease.scope == scope, authorizer.isCurrent(lease.credential, for: scope) else { return nil }
        lease.markUsed()
        return lease
    }

    /// Changes the state of a scope.
    private func update<Result: Sendable>(
        _ scope: A.Scope, _ body: @Sendable (inout Table) -> Result
    ) -> Result {
        change { table in
            defer {
                for scope in table.takeTrimmed() { usable.set(nil, hash: scope.hashValue) }
                usable.set(table.usable[scope], hash: scope.hashValue)
            }
            return body(&table)
        }
    }

    /// Changes the table, and cancels the refreshes that it abandons.
    private func change<Result: Sendable>(_ body: (inout Table) -> Result) -> Result {
        let (result, abandoned) = state.withLock { state in
            let result = body(&state.table)
            return (result, state.table.takeAbandoned().compactMap { state.tasks.removeValue(forKey: $0) })
        }
        for task in abandoned { task.cancel() }
        return result
    }

    /// Adds a credential to a request, if there is one that needs no refresh.
    /// - Returns: the credential; nil without one, and without a scope.
    func authorize(_ request: inout HTTPRequest, now: Duration) throws -> Lease? {
        guard let scope = authorizer.scope(of: request), let lease = lease(scope, now: now) else { return nil }
        try add(lease.credential, of: scope, to: &request)
        return lease
    }

    /// The last credential of a scope, also one that needs a refresh.
    func last(_ scope: A.Scope) -> Lease? { state.withLock { $0.table.last(scope) } }

    /// Marks a credential as rejected by a server.
    /// - Parameter lease: nil if none was sent.
    /// - Returns: whether the scope may get another one now.
    @discardableResult
    func reject(_ lease: Lease?, of scope: A.Scope) -> Bool {
        let now = clock.now
        return update(scope) { table in
            if let lease { table.reject(scope, lease, now: now) }
            return table.mayJoin(scope, now: now)
        }
    }

    /// Marks a credential as accepted by a server.
    func accept(_ lease: Lease, of scope: A.Scope) { state.withLock { $0.table.accept(scope, lease) } }

    /// Waits for a credential.
    /// - Parameters:
    ///   - challenge: the response that asks for a credential.
    ///   - limit: when the wait ends with an error.
    ///   - request: for errors.
    func wait(
        for scope: A.Scope, challenge: HTTPResponseHead? = nil, limit: WaitLimit? = nil, request: HTTPRequest? = nil
    ) async throws -> Lease {
        if let last = last(scope), !authorizer.isCurrent(last.credential, for: scope) {
            update(scope) { $0.forget(scope, last) }
        }
        guard !Task.isCancelled else { throw Self.cancellation(request) }
        let waiter = Waiter()
        let id = state.withLock { $0.table.makeID() }
        if let lease = try join(waiter, id, scope, challenge, limit, request) { return lease }
        let timer = limit.map { limit in
            clock.schedule(at: limit.deadline) { [self] in cancel(id, limit.error(request)) }
        }
        defer { timer?.cancel() }
        return try await waiter.success { cancel(id, Self.cancellation(request)) }
    }

    /// Adds a waiter, and starts a refresh if it needs one; returns a credential that is there.
    private func join(
        _ waiter: Waiter, _ id: UInt64, _ scope: A.Scope, _ challenge: HTTPResponseHead?, _ limit: WaitLimit?,
        _ request: HTTPRequest?
    ) throws -> Lease? {
        let now = clock.now
        if let limit, now >= limit.deadline { throw limit.error(request) }
        func start(_ refresh: Table.RefreshStart) {
            self.start(refresh.id, CredentialNeed(scope: scope, previous: refresh.previous, challenge: challenge))
        }
        switch update(scope, { $0.join(waiter, id: id, for: scope, now: now) }) {
        case .use(let lease): return lease
        case .wait: break
        case .start(let refresh): start(refresh)
        case .useAndStart(let lease, let refresh):
            start(refresh)
            return lease
        case .refuse(let retryAfter): throw Self.refusal(challenge, retryAfter, request)
        }
        return nil
    }

    /// Runs a refresh in a task of its own, since it outlives the call that starts it.
    private func start(_ id: UInt64, _ need: CredentialNeed<A.Scope, A.Credential>) {
        let task = Task(executorPreference: WorkerThreads.calls) { [self] in
            // Weak: tasks that the refresh starts, and that outlive it, keep the demand.
            let demand = RefreshDemand { [weak self] isInterruptible in
                self?.change { $0.setInterruptible(isInterruptible, id) } ?? false
            }
            do {
                let issued = try await RunningWork.run(for: self, context: demand) { try await authorizer.obtain(need) }
                finish(id, need.scope, .success(issued))
            } catch {
                finish(id, need.scope, .failure(error))
            }
        }
        let isInUse = state.withLock { state in
            if state.table.isInUse(id) { state.tasks[id] = task }
            return state.table.isInUse(id)
        }
        // It has finished, or was abandoned before its task was known.
        if !isInUse { task.cancel() }
    }

    private func finish(_ id: UInt64, _ scope: A.Scope, _ outcome: Result<IssuedCredential<A.Credential>, any Error>) {
        let now = clock.now
        let outcome = outcome.map { named($0, for: scope) }
        let result = update(scope) { table in
            switch outcome {
            case .success(let issued):
                table.finish(id, for: scope, issued: issued, now: now)
            case .failure(let error):
                table.finish(id, for: scope, issued: nil, countsFailure: Self.counts(error), now: now)
            }
        }
        state.withLock { $0.tasks[id] = nil }
        for waiter in result.waiters {
            if let lease = result.lease {
                waiter.fulfill(.success(lease))
            } else if case .failure(let error) = outcome {
                waiter.fulfill(.failure(error))
            }
        }
    }

    /// False without a network or a sign-in: no server is spared, and calls should succeed as soon as there is one.
    private static func counts(_ error: any Error) -> Bool {
        !error.isWithoutResponse && (error as? AuthenticationError)?.code != .signInRequired
    }

    private func cancel(_ id: UInt64, _ error: TransportError) {
        change { $0.cancel(id) }?.fulfill(.failure(error))
    }
}
