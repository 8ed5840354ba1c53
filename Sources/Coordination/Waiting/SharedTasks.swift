import Synchronization

/// Runs work once for all calls that need its outcome at the same time (single flight).
///
/// ```swift
/// let tokens = SharedTasks<Scope, Void, Token>()
/// let token = try await tokens.value(for: scope) { try await fetch(scope) }
/// ```
///
/// Work runs in a task of its own on ``WorkerThreads/calls``, since it may outlive the call that started it. It is
/// cancelled when no call waits for it any more. Finished work is not kept.
package final class SharedTasks<Key: Hashable & Sendable, Context: Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = Promise<Result<Value, any Error>>

    private struct Flight {
        /// What the calls of the flight share besides its outcome.
        let context: Context
        var task: Task<Void, Never>?
    }
    private struct State {
        var flights = SingleFlight<Key, Waiter>()
        var inUse: [UInt64: Flight] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of tasks whose outcome has a use.
    package var count: Int { state.withLock(\.flights.count) }

    /// The number of waiting calls.
    package var waiterCount: Int { state.withLock(\.flights.waiterCount) }

    /// True if a call with this key would share the work of another one.
    package func isInFlight(_ key: Key) -> Bool { state.withLock { $0.flights.flight(of: key) != nil } }

    /// Runs work, or waits for the outcome of the work in flight for an equal key.
    /// - Parameters:
    ///   - context: what the calls of the flight share, made by the first one.
    ///   - join: called with it for each call, before the wait; true for the call whose work is run.
    ///   - work: gets it too.
    /// - Throws: the error of the work; `CancellationError` at once if the task is cancelled.
    package func value(
        for key: Key, sharing context: @autoclosure () -> Context, join: (Context, _ isNew: Bool) -> Void = { _, _ in },
        _ work: @escaping @Sendable (Context) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let waiter = Waiter()
        let (id, joined, shared) = state.withLock { state in
            let id = state.flights.makeID()
            let joined = state.flights.join(waiter, id: id, for: key)
            let flight = state.inUse[joined.flight] ?? Flight(context: context())
            state.inUse[joined.flight] = flight
            return (id, joined, flight.context)
        }
        join(shared, joined.isNew)
        if joined.isNew { start(joined.flight, shared, work) }
        return try await waiter.success { cancel(id) }
    }

    /// Lets the work of a key complete for its waiters only: a later call starts its own.
    package func detach(_ key: Key) {
        let abandoned = state.withLock { state in
            state.flights.detach(key).flatMap { state.inUse.removeValue(forKey: $0) }
        }
        abandoned?.task?.cancel()
    }

    private func start(
        _ flight: UInt64, _ context: Context, _ work: @escaping @Sendable (Context) async throws -> Value
    ) {
        let task = Task(executorPreference: WorkerThreads.calls) { [self] in
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await work(context)) } catch { outcome = .failure(error) }
            finish(flight, outcome)
        }
        let isInUse = state.withLock { state in
            state.inUse[flight]?.task = task
            return state.inUse[flight] != nil
        }
        // It has finished, or was abandoned before its task was known.
        if !isInUse { task.cancel() }
    }

    private func finish(_ flight: UInt64, _ outcome: Result<Value, any Error>) {
        let (waiters, finished) = state.withLock { state in
            (state.flights.finish(flight), state.inUse.removeValue(forKey: flight))
        }
        for waiter in waiters { waiter.fulfill(outcome) }
        // Released after unlocking.
        _ = finished
    }

    private func cancel(_ id: UInt64) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter?, Flight?) in
            guard let cancelled = state.flights.cancel(id) else { return (nil, nil) }
            return (cancelled.waiter, cancelled.abandonedFlight.flatMap { state.inUse.removeValue(forKey: $0) })
        }
        abandoned?.task?.cancel()
        waiter?.fulfill(.failure(CancellationError()))
    }
}

extension SharedTasks where Context == Void {
    /// Runs work, or waits for the outcome of the work in flight for an equal key.
    /// - Throws: as the form with a context.
    package func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await value(for: key, sharing: ()) { try await work() }
    }
}
