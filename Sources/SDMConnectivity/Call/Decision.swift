import Synchronization

/// A value that is set once, and that tasks can await.
///
/// ```
/// pending -resolve-> resolved; later values are ignored
/// ```
final class Decision<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// The value; nil before it is set.
    var current: Value? { state.withLock(\.value) }

    /// Sets the value and resumes all waiting tasks. Without effect if there is a value.
    func resolve(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
            guard state.value == nil else { return [] }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Suspends until there is a value.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isReady, value) = state.withLock { state -> (Bool, Value?) in
                    // Inside the lock, so that a cancellation after this check finds the waiter.
                    if state.value != nil || Task.isCancelled { return (true, state.value) }
                    state.waiters[id] = continuation
                    return (false, nil)
                }
                if isReady { continuation.resume(returning: value) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
        }
        guard let value else { throw CancellationError() }
        return value
    }
}
