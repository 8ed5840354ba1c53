public import Synchronization

/// The session of a client with one server: settings, sign-in, and what was learned for the current user. Thread-safe.
///
/// A call takes one ``snapshot`` at its start, and brings results back through it: what belongs to a former user or
/// server is not kept.
///
/// ```swift
/// let session = Session<Settings, String>(Settings())
/// let start = session.snapshot
/// let schema = try await fetchSchema(start.value)
/// session.keep(from: start) { $0.schema = schema }  // not after a sign-out, a sign-in, or for another server
/// ```
///
/// ```
/// signed out -commit->   signed in
/// signed in  -commit->   signed in    by a sign-in that began later
/// any        -reset->    signed out   sign-ins in flight have no effect
/// any        -change, keep-> as it is
/// ```
///
/// What each call uses is inlinable, so that it is compiled for the facade's own types.
@usableFromInline
package final class Session<Value: Sendable, User: Hashable & Sendable>: Sendable {
    /// The session as one call sees it.
    @usableFromInline
    package struct Snapshot: Sendable {
        @usableFromInline package let value: Value
        /// The user; nil while signed out.
        @usableFromInline package let user: User?
        @usableFromInline let generation: Int
        @usableFromInline let userChanges: Int

        @inlinable
        init(_ state: State) {
            value = state.value
            user = state.user
            generation = state.generation
            userChanges = state.userChanges
        }
    }

    /// A sign-in in flight.
    package struct SignIn: Sendable {
        /// The session at its begin.
        package let start: Snapshot
        fileprivate let number: Int
        fileprivate let resets: Int
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var value: Value
        @usableFromInline var user: User?
        /// The user of the last sign-in, also after a sign-out.
        var lastUser: User?
        /// Number of resets and sign-ins; a result from before one is not kept.
        @usableFromInline var generation = 0
        /// Number of resets, which end the sign-ins in flight.
        var resets = 0
        /// Number of sign-ins by another user than the one before.
        @usableFromInline var userChanges = 0
        /// Number of sign-ins that have begun.
        var signIns = 0
        /// Number of the latest sign-in that has succeeded, in the order in which they began.
        var lastSignIn = 0
    }

    @usableFromInline let state: Mutex<State>

    /// Creates a session without a user.
    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The session now.
    @inlinable package var snapshot: Snapshot { state.withLock { Snapshot($0) } }

    /// Reads the value.
    @inlinable
    package func read<Result: Sendable>(_ body: (Value) -> Result) -> Result { state.withLock { body($0.value) } }

    /// Reads what was kept for the user of a snapshot; nil if the snapshot is not current.
    package func read<Result: Sendable>(from snapshot: Snapshot, _ body: (Value) -> Result) -> Result? {
        state.withLock { $0.generation == snapshot.generation ? body($0.value) : nil }
    }

    /// Changes the settings of later calls; calls in flight are not affected.
    @discardableResult
    @inlinable
    package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        update { state in body(&state.value) }
    }

    /// Signs out, or sets another server: calls and sign-ins in flight keep nothing.
    /// - Parameters:
    ///   - isSame: returns true if the value stays that of the same server and user, so that this is a ``change(_:)``.
    ///   - body: changes the value; gets true for a reset.
    @discardableResult
    package func reset<Result: Sendable>(
        unless isSame: (Value) -> Bool, _ body: (inout Value, _ isReset: Bool) -> Result
    ) -> Result {
        update { state in
            let isReset = !isSame(state.value)
            if isReset {
                state.user = nil
                state.generation += 1
                state.resets += 1
            }
            return body(&state.value, isReset)
        }
    }

    /// Signs out, or sets another server: calls and sign-ins in flight keep nothing.
    /// - Parameter body: changes the value.
    @discardableResult
    package func reset<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        reset(unless: { _ in false }) { value, _ in body(&value) }
    }

    /// Begins a sign-in. Call it on the app's thread: of several sign-ins, the one that began last wins.
    package func beginSignIn() -> SignIn {
        state.withLock { state in
            state.signIns += 1
            return SignIn(start: Snapshot(state), number: state.signIns, resets: state.resets)
        }
    }

    /// Ends a sign-in that succeeded.
    /// - Parameter body: changes the value.
    /// - Returns: false, without effect, after a ``reset(_:)`` or the success of a sign-in that began later.
    package func commit(_ signIn: SignIn, as user: User, _ body: (inout Value) -> Void) -> Bool {
        update { state in
            guard state.resets == signIn.resets, state.lastSignIn < signIn.number else { return false }
            if state.lastUser != user { state.userChanges += 1 }
            state.user = user
            state.lastUser = user
            state.generation += 1
            state.lastSignIn = signIn.number
            body(&state.value)
            return true
        }
    }

    /// True until the next sign-in or reset after a snapshot.
    @inlinable
    package func isCurrent(_ snapshot: Snapshot) -> Bool { state.withLock { $0.generation == snapshot.generation } }

    /// True if another user has signed in since a snapshot, even if signed out again.
    package func hasOtherUser(since snapshot: Snapshot) -> Bool {
        state.withLock { state in
            state.userChanges != snapshot.userChanges || state.user != nil && state.user != snapshot.user
        }
    }

    /// Keeps a result of a call that began with a snapshot.
    /// - Parameter body: changes the value.
    /// - Returns: false, without effect, if the snapshot is not current.
    @discardableResult
    package func keep(from snapshot: Snapshot, _ body: (inout Value) -> Void) -> Bool {
        update { state in
            guard state.generation == snapshot.generation else { return false }
            body(&state.value)
            return true
        }
    }

    /// Changes the state. What it replaces is released after unlocking, since a `deinit` of the app may call back.
    @inlinable
    func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, old) = state.withLock { state in
            let old = state.value
            return (change(&state), old)
        }
        withExtendedLifetime(old) {}
        return result
    }
}
