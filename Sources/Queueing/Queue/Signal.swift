import Synchronization

/// A value that somebody sends and somebody else waits for.
///
/// The first value counts. Whoever waits is not woken by the cancellation of its task: who cancels sends a value.
final class Signal<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case sent(Value)
    }

    private let state = Mutex(State.empty)

    func send(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .sent(value)
                return nil
            case .awaited(let waiter):
                state = .sent(value)
                return waiter
            case .sent:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// The value, as soon as there is one. To be asked for once.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .sent(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

extension Signal<Bool> {
    /// Does something in a child task, which is cancelled when this signal says true.
    func cancelling<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask {
                defer { self.send(false) }
                return try await work()
            }
            if await value { group.cancelAll() }
            // There is one child, and it returns or throws.
            while true { if let result = try await group.next() { return result } }
        }
    }
}
