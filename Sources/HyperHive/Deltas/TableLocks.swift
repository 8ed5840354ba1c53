import DeltaSync
import StoreCore
import Synchronization

/// Exclusive use of tables by the calls of one database, in their order. Thread-safe.
final class TableLocks: Sendable {
    /// Task-local mark of a call that holds tables.
    ///
    /// If a task of the call waited for another call, both might wait forever.
    private final class Hold: Sendable {
        @TaskLocal static var all: [Hold] = []
        let isActive = Atomic(true)
    }

    private let state = Mutex(TableLockQueue<CheckedContinuation<Void, any Error>>())

    /// The number of calls that wait.
    var waiterCount: Int { state.withLock(\.waiterCount) }

    /// Runs `body` with exclusive use of tables, after the earlier calls that use one of them.
    ///
    /// A load needs it from reading the stored version, for its request, until its response is loaded. `body` runs
    /// outside the cooperative pool and the main thread, since blocked callers may wait for it.
    /// - Throws: `CancellationError` when the task is cancelled while it waits; `DeltaError` (`busy`) instead of a wait
    ///   within the `body` of another call, such as in a handler of the store's changes; what `body` throws.
    func withLock<Result: Sendable>(
        _ tables: Set<SQLIdentifier>, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await BlockingWork.run {
            let id = try await self.lock(tables)
            let hold = Hold()
            defer {
                hold.isActive.store(false, ordering: .releasing)
                self.unlock(id)
            }
            return try await Hold.$all.withValue(Self.activeHolds + [hold]) { try await body() }
        }
    }

    /// Runs `body` with exclusive use of tables, on the calling thread, which does not wait.
    /// - Throws: `DeltaError` (`busy`) when another call uses one of them; what `body` throws.
    func withLockIfFree<Result>(_ tables: Set<SQLIdentifier>, _ body: () throws -> Result) throws -> Result {
        let id = state.withLock { queue -> UInt64? in
            let id = queue.makeID()
            return queue.add(id, tables, nil) ? id : nil
        }
        guard let id else { throw Self.busy }
        defer { unlock(id) }
        return try body()
    }

    private static var busy: DeltaError {
        DeltaError(.busy, "Another call uses the same tables; call again after it.")
    }

    /// The holds of unfinished calls. A task that outlives its call, such as one of a handler, still has its hold.
    private static var activeHolds: [Hold] { Hold.all.filter { $0.isActive.load(ordering: .acquiring) } }

    // MARK: Queue

    private func lock(_ tables: Set<SQLIdentifier>) async throws -> UInt64 {
        let id = state.withLock { $0.makeID() }
        let mayWait = Self.activeHolds.isEmpty
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { queue -> Result<Void, any Error>? in
                    // Under the lock, so that a later cancellation finds the waiter.
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    if queue.add(id, tables, mayWait ? continuation : nil) { return .success(()) }
                    return mayWait ? nil : .failure(Self.busy)
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            guard let (cancelled, started) = state.withLock({ $0.cancel(id) }) else { return }
            cancelled.resume(throwing: CancellationError())
            for waiter in started { waiter.resume() }
        }
        return id
    }

    private func unlock(_ id: UInt64) {
        for waiter in state.withLock({ $0.release(id) }) { waiter.resume() }
    }
}
