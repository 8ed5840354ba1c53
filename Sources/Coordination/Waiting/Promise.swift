import Dispatch
public import Synchronization

/// One-shot promise: a value that is fulfilled once, and that tasks await or threads block for.
///
/// Later values are ignored. A promise is also what a state machine keeps for a call that waits. Add it to the machine
/// first, then wait: so the cancellation handler finds it there, also when the task was cancelled before.
///
/// ```swift
/// let turn = Promise<Bool>()
/// state.withLock { $0.add(turn, id: id) }
/// let hasTurn = await turn.value { state.withLock { $0.remove(id) }?.fulfill(false) }
/// ```
///
/// ```
/// empty   -> fulfilled             fulfill
/// empty   -> awaited -> fulfilled  value, also by further tasks, then fulfill
/// ```
///
/// Its functions are inlinable: a call passes several promises, and generic code of another module looks up the
/// metadata of each type at each use.
@usableFromInline
package final class Promise<Value: Sendable>: Sendable {
    /// Functions and no cases: copies of an enum of a generic type are slow outside of its module.
    @usableFromInline typealias Waiter = @Sendable (Value) -> Void
    @usableFromInline
    struct State: Sendable {
        /// Nil before it is set.
        @usableFromInline var value: Value?
        @usableFromInline var waiter: Waiter?
        /// Further ones: almost always none, and then the array has no storage.
        @usableFromInline var more: [Waiter] = []

        @inlinable
        init() {}
    }

    @usableFromInline let state = Mutex(State())

    @inlinable
    package init() {}

    @inlinable
    deinit {}

    /// Sets the value and resumes all that wait.
    /// - Returns: false if there is a value already, which stays.
    @discardableResult
    @inlinable
    package func fulfill(_ value: Value) -> Bool {
        let waiting: State? = state.withLock { state in
            guard state.value == nil else { return nil }
            defer {
                state = State()
                state.value = value
            }
            return state
        }
        guard let waiting else { return false }
        waiting.waiter?(value)
        for waiter in waiting.more { waiter(value) }
        return true
    }

    /// The value; nil before it is set.
    @inlinable
    package var current: Value? {
        state.withLock { $0.value }
    }

    // MARK: Waiting

    /// The value, once there is one. Cancelling the waiting task does not end the wait.
    @inlinable
    package var value: Value { get async { await value(isolation: nil) } }

    /// The value, once there is one.
    /// - Parameter onCancel: called when the waiting task is cancelled, or was cancelled before. It has to end the wait
    ///   by fulfilling the promise, unless a value is on its way.
    @inlinable
    package func value(
        isolation actor: isolated (any Actor)? = #isolation, onCancel: @Sendable () -> Void
    ) async -> Value {
        await withTaskCancellationHandler {
            await value(isolation: actor)
        } onCancel: {
            onCancel()
        }
    }

    /// The value, once there is one.
    /// - Throws: `CancellationError` when the waiting task is cancelled first; the promise and its other waiters stay.
    @inlinable
    package func cancellableValue() async throws(CancellationError) -> Value {
        let own = Promise<Value?>()
        whenFulfilled { own.fulfill($0) }
        guard let value = await own.value(onCancel: { own.fulfill(nil) }) else { throw CancellationError() }
        return value
    }

    /// Blocks the calling thread until there is a value.
    package func blockingValue() -> Value {
        let done = DispatchSemaphore(value: 0)
        let value = Mutex<Value?>(nil)
        whenFulfilled { result in
            value.withLock { $0 = result }
            done.signal()
        }
        while true {
            done.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// Calls `action` once with the value: at once if there is one, else on the thread that sets it.
    @inlinable
    package func whenFulfilled(_ action: @escaping @Sendable (Value) -> Void) { add(action) }

    @inlinable
    func value(isolation actor: isolated (any Actor)?) async -> Value {
        await withCheckedContinuation(isolation: actor) { continuation in
            add { continuation.resume(returning: $0) }
        }
    }

    @inlinable
    func add(_ waiter: @escaping Waiter) {
        let value: Value? = state.withLock { state in
            if let value = state.value { return value }
            if state.waiter == nil { state.waiter = waiter } else { state.more.append(waiter) }
            return nil
        }
        if let value { waiter(value) }
    }
}

extension Promise {
    /// The success, once there is an outcome.
    /// - Parameter onCancel: as that of ``value(isolation:onCancel:)``.
    /// - Throws: the failure.
    @inlinable
    package func success<Success: Sendable, Failure: Error>(
        isolation actor: isolated (any Actor)? = #isolation, onCancel: @Sendable () -> Void
    ) async throws(Failure) -> Success where Value == Result<Success, Failure> {
        try await value(isolation: actor, onCancel: onCancel).get()
    }
}

extension Promise<Bool> {
    /// Runs work in a child task, which is cancelled when this promise is fulfilled with true.
    @inlinable
    package func runCancellable<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask {
                defer { self.fulfill(false) }
                return try await work()
            }
            if await value { group.cancelAll() }
            // The only child returns or throws.
            while true { if let result = try await group.next() { return result } }
        }
    }
}
