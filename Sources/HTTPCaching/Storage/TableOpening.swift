import Coordination
import StoreCore
import Synchronization

/// The first use of a cache's tables: they are read, or created by one transaction for which all calls wait.
///
/// ```
/// closed  -wait->       opening   a task reads the key, or creates the tables
/// opening -success->    open
/// opening -failure->    closed    the next call tries again
/// ```
///
/// A store may be busy for long: calls wait for one attempt a second in all, and those that come later not at all.
final class TableOpening: Sendable {
    private typealias Outcome = Result<Void, any Error>

    private struct Attempt: Sendable {
        let outcome = Promise<Outcome>()
        /// When calls no longer wait for it.
        let end: Duration
    }
    /// The hash as an object, which is read without a lock.
    private final class Key: Sendable {
        let hash: KeyedHash
        init(_ key: [UInt8]) { hash = KeyedHash(key: key) }
    }

    private static let patience = Duration.seconds(1)
    private static var clock: AnyMonotonicClock { .continuous }

    private let attempt = Mutex<Attempt?>(nil)
    private let key = AtomicLazyReference<Key>()
    /// True once there is a key: each call asks for that alone.
    private let hasOpened = Atomic(false)

    var isDone: Bool { hasOpened.load(ordering: .acquiring) }

    /// The hash with the key of the tables; nil before they are open.
    var hash: KeyedHash? { key.load()?.hash }

    /// Keeps the key of the tables.
    @discardableResult
    func keep(_ key: [UInt8], in storage: TableStorage) -> KeyedHash {
        let new = Key(key)
        let kept = self.key.storeIfNil(new)
        hasOpened.store(true, ordering: .releasing)
        if kept === new { storage.files?.removeOrphans(in: storage.store) }
        return kept.hash
    }

    /// Opens the tables, or waits for the attempt of another call; see ``CacheStorage/open(atMost:)``.
    func wait(atMost limit: Duration?, in storage: TableStorage) async throws {
        guard !isDone else { return }
        let attempt = join(storage)
        guard let limit else { return try await attempt.outcome.value.get() }
        // Of this call alone: the attempt goes on for others.
        let own = Promise<Outcome>()
        attempt.outcome.whenFulfilled { own.fulfill($0) }
        let timer = Self.clock.schedule(at: min(attempt.end, Self.clock.now + limit)) {
            own.fulfill(.failure(Self.busy))
        }
        defer { timer.cancel() }
        try await own.success { own.fulfill(.failure(CancellationError())) }
    }

    private static let busy = StoreError(
        .busy, "The store is busy, so that the tables of the cache cannot be opened yet; this call uses no cache.")

    /// The attempt that runs, or a new one.
    private func join(_ storage: TableStorage) -> Attempt {
        let (attempt, isNew) = self.attempt.withLock { known in
            if let known { return (known, false) }
            let new = Attempt(end: Self.clock.now + Self.patience)
            known = new
            return (new, true)
        }
        if isNew {
            Task(executorPreference: WorkerThreads.calls) { [self] in
                let outcome = await outcome(storage)
                self.attempt.withLock { $0 = nil }
                attempt.outcome.fulfill(outcome)
            }
        }
        return attempt
    }

    private func outcome(_ storage: TableStorage) async -> Outcome {
        do {
            keep(try await key(storage.store), in: storage)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func key(_ store: any LocalStore) async throws -> [UInt8] {
        // Waits for no writer, where the store reads while it writes.
        if let key = try? await store.read({ reader in try CacheTables.key(reader) }) { return key }
        return try await store.transaction { try CacheTables.create(in: store) }
    }
}
