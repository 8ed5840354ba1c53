package import Coordination

/// The threads of a store for its async calls: one for writes, up to four for reads.
///
/// A store's calls block, so they do not run on the threads of Swift's concurrency. Every store has its own object, and
/// a store over another one returns the object of that one:
///
/// ```swift
/// let threads = StoreThreads()
/// ```
///
/// The threads start on demand and exit with the store.
public final class StoreThreads: Sendable {
    /// Runs one async transaction at a time, in the order of the calls.
    package let writer = WorkerThreads(count: 1, name: "patchbay.write")
    /// Runs async reads.
    package let readers = WorkerThreads(count: 4, name: "patchbay.read")

    /// Creates the object, without threads.
    public init() {}

    /// Makes a thread for one stream of rows, which blocks while its consumer is slow.
    func makeStreamThread() -> WorkerThreads { WorkerThreads(count: 1, name: "patchbay.rows") }

    /// Runs the synchronous `read` of a store on a thread for reads.
    /// - Throws: what the synchronous `read` throws.
    public func read<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(readers) { try await Self.read(store, body) }
    }

    /// Runs the synchronous `transaction` of a store on the thread for writes.
    /// - Throws: what the synchronous `transaction` throws.
    public func transaction<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(writer) { try await Self.transaction(store, body) }
    }

    // `@concurrent`, so that these run on the task's preferred executor, regardless of the caller's actor.

    @concurrent private static func read<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try store.readNow(body)
    }

    @concurrent private static func transaction<Store: LocalStore, Result: Sendable>(
        _ store: Store, _ body: @Sendable () throws -> Result
    ) async throws -> Result {
        try store.transactNow(body)
    }
}

extension LocalStore {
    /// The synchronous `read`: in a synchronous function, the compiler does not choose the async form.
    func readNow<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result { try read(body) }

    /// The synchronous `transaction`.
    fileprivate func transactNow<Result>(_ body: () throws -> Result) throws -> Result { try transaction(body) }
}
