import Coordination
import Foundation
import HTTPMessages
import Queueing
import StoreCore
import Synchronization
import Transport

/// Sends the entries of a store, with one loop for transactions and one task for each entry in flight.
final class Sender: Sendable {
    private struct State {
        var machine: SenderState
        var tasks: [OutboxEntry.ID: Task<Void, Never>] = [:]
        /// Ends the wait of the loop.
        var wakeUp: Promise<Void>?
        /// The calls that wait until nothing is in flight.
        var waiters = QuietWaiters()
        /// How often all entries of a user were removed.
        var removals: [String: Int] = [:]
        /// True while a transaction runs, which may claim entries of a user that has signed out.
        var isTransacting = false
    }

    /// Entries of a long backlog that are claimed by one transaction: enough to spread its costs.
    private static let batch = 32

    let store: any LocalStore
    let options: OutboxOptions
    let rule: SecretRule
    /// Tells the app that an entry or a response has changed.
    let changes = ChangeSignals()
    private let transport: any Transport
    let clock: AnyMonotonicClock
    private let date: @Sendable () -> Date
    private let random: @Sendable () -> Double
    private let owner: String
    /// The wall clock time at the clock's zero.
    private let startTime: Int64
    private let state: Mutex<State>
    private let end = Promise<Void>()

    init(
        store: any LocalStore, transport: any Transport, options: OutboxOptions, owner: String, users: [String],
        clock: AnyMonotonicClock, date: @escaping @Sendable () -> Date,
        random: @escaping @Sendable () -> Double
    ) {
        (self.store, self.transport, self.options, self.owner) = (store, transport, options, owner)
        rule = SecretRule(options.redaction)
        (self.clock, self.date, self.random) = (clock, date, random)
        startTime = date().milliseconds - clock.now.milliseconds
        let machine = SenderState(
            maximumConcurrent: options.maximumConcurrent,
            // A failed entry would hold back what is claimed.
            batch: options.failureBlocks == .everything ? 0 : Self.batch, leaseDuration: options.leaseDuration,
            users: users,
            pauses: options.startsPaused ? [.manual] : [])
        state = Mutex(State(machine: machine))
    }

    /// Starts the loop, which retains the sender until it has ended.
    func start() {
        // Detached, since it outlives what has opened the outbox, such as a transaction.
        Task.detached(executorPreference: WorkerThreads.calls) { await self.run() }
    }

    // MARK: Events

    var users: [String] { state.withLock(\.machine.users) }
    /// The users that are signed in, or whose entries are in flight and are waited for; without no user.
    var activeUsers: Set<String> {
        state.withLock { state in
            let awaited = state.waiters.awaited(of: state.machine.inFlight, by: QuietWaiters.attempt)
            return Set(state.machine.users).union(awaited.values).subtracting([""])
        }
    }
    var lastUser: String? { state.withLock(\.machine.lastUser) }
    var userChangeCount: Int { state.withLock(\.machine.userChangeCount) }
    var pauses: Set<PauseReason> { state.withLock(\.machine.pauses) }
    var storeError: StoreError? { state.withLock(\.machine.storeError) }

    /// The user of new entries, and how often all entries of that user were removed.
    var addingUser: (user: String, removals: Int) {
        state.withLock { state in
            let user = state.machine.users.last ?? ""
            return (user, state.removals[user, default: 0])
        }
    }

    func removals(of user: String) -> Int { state.withLock { $0.removals[user, default: 0] } }

    /// Notes that all entries of a user are removed. Call it in the transaction that does it, before the deletion, and
    /// ``takeBackRemoval(of:)`` if it fails.
    /// - Returns: false while the user is signed in: then they must stay.
    func noteRemoval(of user: String) -> Bool {
        // What is added for no user meanwhile counts as added afterwards.
        guard !user.isEmpty else { return true }
        return state.withLock { state in
            guard !state.machine.users.contains(user) else { return false }
            state.removals[user, default: 0] += 1
            return true
        }
    }

    func takeBackRemoval(of user: String) {
        if !user.isEmpty { state.withLock { $0.removals[user, default: 0] -= 1 } }
    }

    /// Changes the state, and continues the loop if it has something to do.
    func update(_ change: @Sendable (inout SenderState) -> Void) {
        let wakeUp: Promise<Void>? = state.withLock { state in
            change(&state.machine)
            // Most entries are added while it is paused or busy: waking a thread costs more than adding one.
            guard state.wakeUp != nil, !state.machine.mustWait(now: clock.now) else { return nil }
            return state.wakeUp.take()
        }
        wakeUp?.fulfill(())
    }

    /// Cancels what is in flight, and returns once the loop has ended; within the attempt of an entry, once nothing
    /// else is in flight.
    func stop() async {
        cancelAndStop()
        let isWithinAttempt = state.withLock { state in
            QuietWaiters.attempt.map { state.waiters.isRunning($0) } ?? false
        }
        if isWithinAttempt { await quiet(nil) } else { await end.value }
    }

    /// Cancels what is in flight, and makes the loop end.
    func cancelAndStop() {
        update { $0.stop() }
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    /// Sends nothing more of a user, cancels what is in flight, and returns once that has ended.
    func remove(_ user: String) async {
        let tasks = state.withLock { state in
            state.machine.signOut(user)
            return state.machine.inFlight.filter { $0.value == user }.compactMap { state.tasks[$0.key] }
        }
        for task in tasks { task.cancel() }
        // What was claimed ahead of the user is given back.
        update { _ in }
        await quiet(user)
    }

    /// Returns once nothing of a user, or for nil of any user, is in flight; see ``QuietWaiters``.
    private func quiet(_ user: String?) async {
        let quiet = state.withLock { $0.waiters.add(user, by: QuietWaiters.attempt) }
        resumeQuietWaiters()
        await quiet.value
    }

    private func resumeQuietWaiters() {
        let quiet = state.withLock { state in
            state.isTransacting ? [] : state.waiters.takeQuiet(state.machine.inFlight)
        }
        for promise in quiet { promise.fulfill(()) }
    }

    // MARK: Loop

    @concurrent private func run() async {
        var watch = LeaseWatch(owner: owner, duration: options.leaseDuration)
        var cleaned: Date?
        var startedUsers: Set<String> = []
        loop: while true {
            let wakeUp = Promise<Void>()
            let now = clock.now
            let step = state.withLock { state in
                let step = state.machine.step(now: now)
                if case .wait = step { state.wakeUp = wakeUp }
                if case .transact = step { state.isTransacting = true }
                return step
            }
            switch step {
            case .end: break loop
            case .wait(let deadline):
                let timer = deadline.map { clock.schedule(at: $0) { wakeUp.fulfill(()) } }
                await wakeUp.value
                timer?.cancel()
            case .transact(let plan):
                guard await transact(plan, &watch, &cleaned, &startedUsers) else { break loop }
            }
        }
        state.withLock { state in
            state.isTransacting = false
            // Of a store that was closed nothing more can be noted, so what was claimed is not sent.
            state.machine.stop()
        }
        resumeQuietWaiters()
        changes.finish()
        end.fulfill(())
    }

    /// - Returns: false when the store is closed.
    private func transact(
        _ plan: SenderState.Plan, _ watch: inout LeaseWatch, _ cleaned: inout Date?,
        _ startedUsers: inout Set<String>
    ) async -> Bool {
        let (date, now) = (date(), clock.now)
        // With the first transaction, and then thirty times in a lifetime.
        let isCleaning =
            cleaned.map { abs(date.timeIntervalSince($0)) >= options.responseLifetime / .seconds(30) } ?? true
        let transaction = SendTransaction(
            store: store, options: options, rule: rule, owner: owner, plan: plan, date: date,
            dueTime: startTime + now.milliseconds, now: now,
            startedUsers: startedUsers, removesOldResponses: isCleaning)
        do {
            let before = watch
            let result = try await store.transaction { try transaction.run(before) }
            watch = result.watch
            if isCleaning { cleaned = date }
            if result.next.leaseRetry == nil, plan.count > 0 { startedUsers.formUnion(plan.users) }
            for path in result.unusedFiles { BodyFile.delete(path) }
            state.withLock { state in
                state.isTransacting = false
                let claimed = state.machine.transacted(result.next, now: clock.now)
                for row in claimed { state.tasks[row.id] = task(for: row, state.waiters.begin(row.id)) }
            }
            // Also without a change of its own: another sender may have made one.
            changes.signal()
        } catch {
            let error = error as? StoreError ?? StoreError(.failed, "The outbox cannot read its tables: \(error)")
            state.withLock { state in
                state.isTransacting = false
                state.machine.failed(plan, error, now: clock.now)
            }
            changes.signal()
            guard error.code != .closed else { return false }
        }
        resumeQuietWaiters()
        return true
    }

    /// A task that sends an entry. It begins after the lock is free.
    private func task(for row: EntryRow, _ attempt: QuietWaiters.Attempt) -> Task<Void, Never> {
        Task(executorPreference: WorkerThreads.calls) { [self] in
            let sent = await QuietWaiters.$attempt.withValue(attempt) {
                await SendAttempt(row, over: transport, in: store, options, date(), random())
            }
            ended(row, sent)
        }
    }

    private func ended(_ row: EntryRow, _ attempt: SendAttempt) {
        let subject: SendHolds.Subject = attempt.isSignedOut ? .user(row.user) : .origin(row.request.origin)
        var failures = state.withLock { $0.machine.holds.failures(of: subject) }
        var wakeUp: Promise<Void>?
        while true {
            // Without the lock, since the clock and the backoff are code of the app.
            let now = clock.now
            let hold = now + attempt.hold(after: failures)
            let other: Int? = state.withLock { state in
                // Meanwhile another attempt has ended, or the app has called: then the hold is another one.
                let current = state.machine.holds.failures(of: subject)
                guard current == failures else { return current }
                state.tasks[row.id] = nil
                state.waiters.end(row.id)
                if attempt.isSignedOut {
                    state.machine.signedOut(row.user, until: hold)
                } else if let isResponding = attempt.isResponding {
                    state.machine.noted(row.request.origin, isResponding: isResponding, until: hold)
                }
                state.machine.ended(attempt.outcome)
                for row in state.machine.startNext(now: now) {
                    state.tasks[row.id] = task(for: row, state.waiters.begin(row.id))
                }
                if state.wakeUp != nil, !state.machine.mustWait(now: now) { wakeUp = state.wakeUp.take() }
                return nil
            }
            guard let other else { break }
            failures = other
        }
        wakeUp?.fulfill(())
        resumeQuietWaiters()
    }
}
