import Synchronization

/// One-shot promise: a value that is fulfilled once and awaited once.
///
/// Later values are ignored. Cancelling the waiting task does not end the wait; its cancellation handler has to fulfill
/// the promise.
///
/// ```
/// empty   -> fulfilled             fulfill
/// empty   -> awaited -> fulfilled  value, then fulfill
/// ```
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Mutex(State.empty)

    func fulfill(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .fulfilled(value)
                return nil
            case .awaited(let waiter):
                state = .fulfilled(value)
                return waiter
            case .fulfilled:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// The value, once there is one. Must be awaited at most once.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .fulfilled(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

extension Promise<Bool> {
    /// Runs work in a child task, which is cancelled when this promise is fulfilled with true.
    func runCancellable<Result: Sendable>(
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
