import Dispatch
import Synchronization

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
package final class Promise<Value: Sendable>: Sendable {
    private enum Waiter {
        case task(CheckedContinuation<Value, Never>)
        case action(@Sendable (Value) -> Void)

        func resume(_ value: Value) {
            switch self {
            case .task(let continuation): continuation.resume(returning: value)
            case .action(let action): action(value)
            }
        }
    }
    private enum State {
        case empty
        /// The array of further waiters is almost always empty, and then has no storage.
        case awaited(Waiter, more: [Waiter])
        case fulfilled(Value)
    }

    private let state = Mutex(State.empty)

    package init() {}

    /// Sets the value and resumes all that wait.
    /// - Returns: false if there is a value already, which stays.
    @discardableResult
    package func fulfill(_ value: Value) -> Bool {
        let (isFirst, waiter, more): (Bool, Waiter?, [Waiter]) = state.withLock { state in
            defer { if case .fulfilled = state {} else { state = .fulfilled(value) } }
            return switch state {
            case .empty: (true, nil, [])
            case .awaited(let waiter, let more): (true, waiter, more)
            case .fulfilled: (false, nil, [])
            }
        }
        waiter?.resume(value)
        for waiter in more { waiter.resume(value) }
        return isFirst
    }

    /// The value; nil before it is set.
    package var current: Value? {
        state.withLock { state in
            if case .fulfilled(let value) = state { value } else { nil }
        }
    }

    // MARK: Waiting

    /// The value, once there is one. Cancelling the waiting task does not end the wait.
    package var value: Value { get async { await value(isolation: nil) } }

    /// The value, once there is one.
    /// - Parameter onCancel: called when the waiting task is cancelled, or was cancelled before. It has to end the wait
    ///   by fulfilling the promise, unless a value is on its way.
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
    package func whenFulfilled(_ action: @escaping @Sendable (Value) -> Void) { add(.action(action)) }

    private func value(isolation actor: isolated (any Actor)?) async -> Value {
        await withCheckedContinuation(isolation: actor) { add(.task($0)) }
    }

    private func add(_ waiter: Waiter) {
        let value: Value? = state.withLock { state in
            switch state {
            case .empty: state = .awaited(waiter, more: [])
            case .awaited(let first, let more): state = .awaited(first, more: more + [waiter])
            case .fulfilled(let value): return value
            }
            return nil
        }
        if let value { waiter.resume(value) }
    }
}

extension Promise {
    /// The success, once there is an outcome.
    /// - Parameter onCancel: as that of ``value(isolation:onCancel:)``.
    /// - Throws: the failure.
    package func success<Success: Sendable, Failure: Error>(
        isolation actor: isolated (any Actor)? = #isolation, onCancel: @Sendable () -> Void
    ) async throws(Failure) -> Success where Value == Result<Success, Failure> {
        try await value(isolation: actor, onCancel: onCancel).get()
    }
}

extension Promise<Bool> {
    /// Runs work in a child task, which is cancelled when this promise is fulfilled with true.
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
