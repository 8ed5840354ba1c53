import Coordination
import Foundation
import StoreCore
import Synchronization

/// Writes of a cache that its calls do not wait for: responses that are found in memory until they are in the store.
///
/// ```
/// idle    -insert, change->                            waiting   a task waits for further work
/// waiting -a time, a full batch, or flush->            writing   it runs the queue in transactions
/// writing -a batch is written and others wait->        waiting
/// writing -the queue is empty->                        idle
/// ```
///
/// A response that is removed before it is written is not written: the transaction skips what is no longer pending.
final class WriteBehind: Sendable {
    typealias Change = @Sendable (inout CacheTableWriter) throws -> Void

    private enum Work {
        case insert(id: UInt64, url: String, CacheTableWriter.Row)
        case change(Change)
        /// All work before it is written.
        case mark(Promise<Void>)

        var isMark: Bool { if case .mark = self { true } else { false } }
    }
    private struct Pending {
        let id: UInt64
        let ticket: Int64
        let entry: CacheEntry
    }
    private struct State {
        var queue: [Work] = []
        /// The responses in the queue, by URL.
        var pending: [String: [Pending]] = [:]
        var bytes = 0
        /// The removals by this process: a response that was requested before one does not become pending after it.
        var removals = RemovalLog()
        var lastID: UInt64 = 0
        /// The number of calls that wait for writes.
        var waiterCount = 0
        /// Ends the wait for further work.
        var wake: Promise<Void>?
        /// The task that writes.
        var task: Task<Void, Never>?
    }

    /// The most bytes that wait; what comes then is not stored.
    private static let maximumBytes = 32 << 20
    /// The time for which work waits for more, since a transaction costs as much as several rows.
    private static let delay = Duration.milliseconds(50)
    /// The most responses in one transaction.
    private static let batchSize = 128

    private let state = Mutex(State())

    // MARK: Pending responses

    /// The pending response that a request selects, and its ticket.
    func find(
        _ lookup: CacheLookup, _ hash: () throws -> KeyedHash
    ) rethrows -> (entry: CacheEntry, ticket: Int64)? {
        guard let pending = state.withLock({ $0.pending[lookup.url] }) else { return nil }
        let found = try pending.last { waiting in
            let names = waiting.entry.response.varying
            let key = Variant.key(prefix: lookup.prefix, names: names, lookup.fields, try hash())
            return key == waiting.entry.variant
        }
        return found.map { ($0.entry, $0.ticket) }
    }

    /// Drops pending responses that were requested before a removal, and keeps later ones of that time out.
    /// - Parameters:
    ///   - url: what was removed; nil for more than one URL.
    ///   - isRemoved: true for the responses that were removed.
    func removed(_ url: String?, number: Int64, _ isRemoved: (CacheEntry) -> Bool) {
        state.withLock { state in
            state.removals.note(url, number: number)
            for (url, list) in state.pending {
                let kept = list.filter { $0.ticket >= number || !isRemoved($0.entry) }
                guard kept.count < list.count else { continue }
                state.bytes -= list.reduce(0) { $0 + $1.entry.response.cost }
                state.bytes += kept.reduce(0) { $0 + $1.entry.response.cost }
                state.pending[url] = kept.isEmpty ? nil : kept
            }
        }
    }

    /// Forgets removals, whose numbers are those of other tables.
    func forgetRemovals() { state.withLock { $0.removals = RemovalLog() } }

    // MARK: Writing

    /// - Returns: false if too much waits already, or if the response was requested before a removal.
    func insert(_ row: CacheTableWriter.Row, _ entry: CacheEntry, _ storage: TableStorage) -> Bool {
        let (isTaken, wake) = state.withLock { state -> (Bool, Promise<Void>?) in
            let isSuperseded = state.pending[entry.url]?.contains {
                $0.entry.variant == entry.variant && $0.entry.response.receivedTime > entry.response.receivedTime
            }
            guard state.bytes + row.response.cost <= Self.maximumBytes, isSuperseded != true,
                state.removals.permits(entry.url, since: row.ticket)
            else { return (false, nil) }
            state.lastID += 1
            state.queue.append(.insert(id: state.lastID, url: entry.url, row))
            state.pending[entry.url, default: []].append(Pending(id: state.lastID, ticket: row.ticket, entry: entry))
            state.bytes += row.response.cost
            start(&state, storage)
            return (true, state.queue.count >= Self.batchSize ? state.wake.take() : nil)
        }
        wake?.fulfill(())
        return isTaken
    }

    /// Queues a change.
    func change(_ storage: TableStorage, _ change: @escaping Change) {
        state.withLock { state in
            state.queue.append(.change(change))
            start(&state, storage)
        }
    }

    /// Waits until all that is in the queue now has been written.
    func flush() async {
        let mark = Promise<Void>()
        let (mustWait, wake) = state.withLock { state -> (Bool, Promise<Void>?) in
            guard state.task != nil else { return (false, nil) }
            state.queue.append(.mark(mark))
            state.waiterCount += 1
            return (true, state.wake.take())
        }
        guard mustWait else { return }
        wake?.fulfill(())
        await mark.value
        state.withLock { $0.waiterCount -= 1 }
    }

    /// Waits until nothing is left to write.
    func waitUntilIdle() async {
        while state.withLock({ $0.task }) != nil { await flush() }
    }

    /// Starts the task, unless it runs: under the lock that queues, so that what is in the queue has one.
    private func start(_ state: inout State, _ storage: TableStorage) {
        guard state.task == nil else { return }
        state.task = Task(executorPreference: WorkerThreads.calls) { [self] in await run(storage) }
    }

    private func run(_ storage: TableStorage) async {
        while true {
            await waitForMore()
            guard let batch = next() else { return }
            do { try await write(batch, storage) } catch {
                storage.failed(error)
                for case .insert(_, _, let row) in batch { row.response.body.deleteFile() }
            }
            finish(batch)
        }
    }

    private func write(_ batch: [Work], _ storage: TableStorage) async throws {
        if batch.allSatisfy(\.isMark) { return }
        let batch = batch.filter { isSynchronized($0, storage) }
        try await storage.write { [self] writer in
            for work in batch {
                switch work {
                case .insert(let id, let url, let row) where isPending(id, url): try insert(row, &writer, storage)
                case .insert(_, _, let row): row.response.body.deleteFile()
                case .change(let change): try change(&writer)
                case .mark: break
                }
            }
        }
    }

    /// False for a response whose file fails, which is dropped alone.
    private func isSynchronized(_ work: Work, _ storage: TableStorage) -> Bool {
        guard case .insert(let id, let url, let row) = work, row.response.body.isInFile, isPending(id, url) else {
            return true
        }
        do {
            try row.response.body.synchronizeFile()
            return true
        } catch {
            storage.failed(error)
            row.response.body.deleteFile()
            return false
        }
    }

    private func waitForMore() async {
        let wake = Promise<Void>()
        let mustWait = state.withLock { state in
            guard state.waiterCount == 0, !state.queue.isEmpty, state.queue.count < Self.batchSize else { return false }
            state.wake = wake
            return true
        }
        guard mustWait else { return }
        let clock = AnyMonotonicClock.continuous
        let timer = clock.schedule(at: clock.now + Self.delay) { wake.fulfill(()) }
        await wake.value
        timer.cancel()
    }

    private func insert(
        _ row: CacheTableWriter.Row, _ writer: inout CacheTableWriter, _ storage: TableStorage
    ) throws {
        if try !writer.insert(row) { row.response.body.deleteFile() }
    }

    private func isPending(_ id: UInt64, _ url: String) -> Bool {
        state.withLock { state in state.pending[url]?.contains { $0.id == id } ?? false }
    }

    /// The next work; nil at the end, which ends the task.
    private func next() -> [Work]? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.task = nil
                return nil
            }
            let batch = Array(state.queue.prefix(Self.batchSize))
            state.queue.removeFirst(batch.count)
            return batch
        }
    }

    private func finish(_ batch: [Work]) {
        state.withLock { state in
            for case .insert(let id, let url, let row) in batch {
                guard var list = state.pending[url], let index = list.firstIndex(where: { $0.id == id }) else {
                    continue
                }
                list.remove(at: index)
                state.bytes -= row.response.cost
                state.pending[url] = list.isEmpty ? nil : list
            }
        }
        for case .mark(let mark) in batch { mark.fulfill(()) }
    }
}

extension TableStorage {
    /// Runs a change in a transaction, with the notes of what was used, and deletes the files of removed responses.
    ///
    /// It does not wait for the queue: a response there that was requested before a removal is refused when its turn
    /// comes. The task is one that no caller's cancellation cancels: after a write to the server, what is stored must
    /// be removed.
    @discardableResult
    func write<Result: Sendable>(
        _ change: @escaping @Sendable (inout CacheTableWriter) throws -> Result
    ) async throws -> Result {
        let used = takeUsed()
        let task = Task(executorPreference: WorkerThreads.calls) { [self] in
            try await store.transaction { [self] () throws -> (Result, CacheTableWriter) in
                var writer = try CacheTableWriter(store, limits: limits)
                if writer.number < lastCommittedNumber.load(ordering: .acquiring) { forgetTables(for: writer.number) }
                if !used.isEmpty { try writer.touch(used) }
                let result = try change(&writer)
                try writer.finish()
                return (result, writer)
            }
        }
        let (result, written) = try await task.value
        noteCommitted(written.number)
        evictions.add(written.evictions, ordering: .relaxed)
        if written.exceedsLimits, written.evictions > 0 { behind.change(self) { writer in try writer.evict() } }
        for name in written.deletedFiles { files?.delete(name) }
        return result
    }
}
