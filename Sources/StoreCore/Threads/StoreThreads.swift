package import Coordination
package import Dispatch

/// The threads of a store for its async calls: one for writes, up to four for reads.
///
/// A store's calls block, so they do not run on the threads of Swift's concurrency. Every store has its own object, and
/// a store over another one returns the object of that one:
///
/// ```swift
/// let threads = StoreThreads(busyTimeout: .seconds(10))
/// ```
///
/// The threads start on demand and exit with the store. Calls wait for them suspended, in FIFO order; a wait ends at
/// once with `interrupted` when the task is cancelled.
public final class StoreThreads: Sendable {
    /// Runs one async transaction at a time, in the order of the calls.
    package let writer = WorkerThreads(count: 1, name: "patchbay.write")
    /// Runs async reads.
    package let readers = WorkerThreads(count: readerCount, name: "patchbay.read")

    private static let readerCount = 4
    private let writerSlots = CallSlots(count: 1)
    private let readerSlots = CallSlots(count: readerCount)
    private let busyTimeout: DispatchTimeInterval

    /// Creates the object, without threads.
    /// - Parameter busyTimeout: the maximum wait of an async transaction for the others and for the locks of the
    ///   package's stores, in all; default 5 seconds.
    public init(busyTimeout: Duration = .seconds(5)) { self.busyTimeout = busyTimeout.dispatchInterval }

    /// The numbers of calls that wait for a thread.
    var waitingCounts: (writes: Int, reads: Int) { (writerSlots.waitingCount, readerSlots.waitingCount) }

    /// Makes a thread for one stream of rows, which blocks while its consumer is slow.
    func makeStreamThread() -> WorkerThreads { WorkerThreads(count: 1, name: "patchbay.rows") }

    /// Runs the synchronous `read` of a store on a thread for reads.
    /// - Throws: what the synchronous `read` throws; ``StoreError`` `interrupted` when the task is cancelled.
    public func read<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try await readerSlots.acquire()
        return try await withTaskExecutorPreference(readers) { try await readNow(store, body) }
    }

    /// Runs the synchronous `transaction` of a store on the thread for writes.
    /// - Throws: what the synchronous `transaction` throws; ``StoreError``: `interrupted` when the task is cancelled,
    ///   before the call, while it waits, or before `body` has returned; `misuse` after a timeout when `body` of
    ///   another transaction of the store waits for this one.
    public func transaction<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let deadline = DispatchTime.now() + busyTimeout
        do throws(StoreError) { try await writerSlots.acquire(until: deadline) } catch {
            let isNested = AsyncCall.current?.isOpenTransaction(on: self) == true
            throw error.code == .busy && isNested ? Self.nested : error
        }
        return try await withTaskExecutorPreference(writer) { try await transactNow(store, deadline, body) }
    }

    /// Ends the waits of async calls for a thread, with `interrupted`; for ``LocalStore/interrupt()``.
    public func interruptWaits() {
        writerSlots.interruptWaits()
        readerSlots.interruptWaits()
    }

    /// Throws if the current thread runs the body of an async call whose task is cancelled.
    ///
    /// A store calls it at the begin of each call inside a transaction, so that a cancelled transaction ends before its
    /// next statement. Without that, it ends when its body returns.
    /// - Throws: ``StoreError`` (`interrupted`).
    public static func checkCancellation() throws(StoreError) {
        if Task.isCancelled, AsyncCall.isRunning { throw .interrupted }
    }

    /// The end of a wait for the lock of a store that begins now on the current thread.
    ///
    /// An async transaction has one deadline for its thread and for the lock, so that it waits no longer than a
    /// synchronous one.
    package static func lockDeadline(after timeout: DispatchTimeInterval) -> DispatchTime {
        let end = DispatchTime.now() + timeout
        return AsyncCall.lockDeadline.map { min($0, end) } ?? end
    }

    private static let nested = StoreError(
        .misuse,
        "Transaction awaited from within the body of another one of the same store, which has to end first: use the "
            + "synchronous form there, or await this one afterwards.")

    // `@concurrent`, so that these run on the task's preferred executor, regardless of the caller's actor. They return
    // the slot there: the caller's executor may be busy.

    @concurrent private func readNow<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        defer { readerSlots.release() }
        let call = AsyncCall()
        return try AsyncCall.$current.withValue(call) {
            defer { call.end() }
            return try store.readNow(body)
        }
    }

    @concurrent private func transactNow<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ deadline: DispatchTime, _ body: @Sendable () throws -> Result
    ) async throws -> Result {
        defer { writerSlots.release() }
        let call = AsyncCall(writer: self, deadline)
        return try AsyncCall.$current.withValue(call) {
            // Also when the transaction cannot begin.
            defer { call.end() }
            return try store.transactNow {
                defer { call.end() }
                call.begin()
                let result = try body()
                try Self.checkCancellation()
                return result
            }
        }
    }
}

extension LocalStore {
    /// The synchronous `read`: in a synchronous function, the compiler does not choose the async form.
    func readNow<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result { try read(body) }

    /// The synchronous `transaction`.
    fileprivate func transactNow<Result>(_ body: () throws -> Result) throws -> Result { try transaction(body) }
}
