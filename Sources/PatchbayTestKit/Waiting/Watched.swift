import Synchronization

/// A lock-protected value whose changes tasks can await instead of polling.
///
/// ```swift
/// let count = Watched(0)
/// queue.onSubmit { count.update { $0 += 1 } }
/// try await count.wait { $0 == 3 }
/// ```
public final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, any Error>
    }
    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private let state: Mutex<State>

    /// Creates a watched value.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The current value.
    public var value: Value { state.withLock(\.value) }

    /// Changes the value, then resumes the tasks whose condition it meets, first in, first out.
    /// - Parameter change: called with the lock held.
    @discardableResult
    public func update<Result: Sendable>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        let (result, woken, value) = try state.withLock { state in
            let result = try change(&state.value)
            guard !state.waiters.isEmpty else { return (result, [Waiter](), nil as Value?) }
            let value = state.value
            // Once for each waiter: a condition may look at more than the value.
            let isMet = state.waiters.map { $0.isMet(value) }
            guard isMet.contains(true) else { return (result, [], nil) }
            let waiters = zip(state.waiters, isMet)
            state.waiters = waiters.filter { !$0.1 }.map(\.0)
            return (result, waiters.filter(\.1).map(\.0), value)
        }
        if let value {
            for waiter in woken { waiter.continuation.resume(returning: value) }
        }
        return result
    }

    /// Suspends until the value meets a condition, and returns it; at once if it does, even in a cancelled task.
    /// - Parameter isMet: called with the lock held.
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws -> Value {
        let (id, met) = state.withLock { state in
            state.nextID += 1
            return (state.nextID, isMet(state.value) ? state.value : nil)
        }
        if let met { return met }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Value, any Error>? = state.withLock { state in
                    if isMet(state.value) { return .success(state.value) }
                    // The cancellation handler may have run before this waiter was added.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append(Waiter(id: id, isMet: isMet, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
