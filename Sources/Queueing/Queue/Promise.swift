import Synchronization

/// One-shot promise: a value that is fulfilled once and awaited by any number of tasks, usually by one.
///
/// Later values are ignored. Cancelling the waiting task does not end the wait; its cancellation handler has to fulfill
/// the promise.
///
/// ```
/// empty   -> fulfilled             fulfill
/// empty   -> awaited -> fulfilled  value, also by further tasks, then fulfill
/// ```
final class Promise<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, Never>
    private enum State {
        case empty
        /// The array of further waiters is almost always empty, and then has no storage.
        case awaited(Waiter, more: [Waiter])
        case fulfilled(Value)
    }

    private let state = Mutex(State.empty)

    func fulfill(_ value: Value) {
        let (waiter, more): (Waiter?, [Waiter]) = state.withLock { state in
            switch state {
            case .empty:
                state = .fulfilled(value)
                return (nil, [])
            case .awaited(let waiter, let more):
                state = .fulfilled(value)
                return (waiter, more)
            case .fulfilled:
                return (nil, [])
            }
        }
        waiter?.resume(returning: value)
        for waiter in more { waiter.resume(returning: value) }
    }

    /// The value, once there is one.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    switch state {
                    case .empty: state = .awaited(continuation, more: [])
                    case .awaited(let first, let more): state = .awaited(first, more: more + [continuation])
                    case .fulfilled(let value): return value
                    }
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
