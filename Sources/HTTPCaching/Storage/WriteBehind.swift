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
/// writing -a call waits for a change of its own->      waiting   the rest of the batch is returned to the queue
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
        /// Their size in memory: that of bodies in files does not count.
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

    /// The most bytes that wait in memory; what comes then is not stored, except a larger response that waits alone.
    private static let maximumBytes = 32 << 20
    /// The time for which work waits for more, since a transaction costs as much as several rows.
    private static let delay = Duration.milliseconds(50)
    /// The most responses in one transaction.
    private static let batchSize = 128
    /// The part of a batch that is written in any case, so that it is written while calls change much.
    static let leastBatchSize = 8
    /// The most notes of use in one transaction.
    private static let usedAtOnce = 64

    private let state = Mutex(State())

    // MARK: Pending responses

    /// The pending response that a request selects, and its ticket.
    func find(
        _ lookup: CacheLookup, _ hash: () throws -> KeyedHash
    ) rethrows -> (entry: CacheEntry, ticket: Int64)? {
        guard let pending = state.withLock({ $0.pending[lookup.url] }) else { return nil }
        let found = try pending.last { waiting in
            let names = waiting.entry.response.varying
            let key = Variant.key(of: lookup, names: names, try hash())
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
                state.bytes -= list.reduce(0) { $0 + $1.entry.response.memoryCost }
                state.bytes += kept.reduce(0) { $0 + $1.entry.response.memoryCost }
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
            let bytes = state.bytes + row.response.memoryCost
            guard bytes <= Self.maximumBytes || state.bytes == 0, isSuperseded != true,
                state.removals.permits(entry.url, since: row.ticket)
            else { return (false, nil) }
            state.lastID += 1
            state.queue.append(.insert(id: state.lastID, url: entry.url, row))
            state.pending[entry.url, default: []].append(Pending(id: state.lastID, ticket: row.ticket, entry: entry))
            state.bytes = bytes
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
        var synchronizedID: UInt64 = 0
        while true {
            await waitForMore()
            guard let batch = next() else { return }
            var count = batch.count
            synchronizeFiles(of: batch, since: &synchronizedID, storage)
            do { count = try await write(batch, storage) } catch {
                storage.failed(error)
                for case .insert(_, _, let row) in batch { row.response.body.deleteFile() }
            }
            finish(batch[..<count], putBack: batch[count...])
        }
    }

    /// Writes a batch in one transaction, or its first rows if a call waits for a change of its own.
    /// - Returns: the number of them.
    private func write(_ batch: [Work], _ storage: TableStorage) async throws -> Int {
        if batch.allSatisfy(\.isMark) { return batch.count }
        var used = storage.takeUsed()[...]
        // Many are noted in transactions of their own, so that a call waits for none of them long.
        while used.count > Self.usedAtOnce {
            let part = used.prefix(Self.usedAtOnce)
            try await storage.commit { writer in try writer.touch(part) }
            used = used.dropFirst(part.count)
        }
        return try await storage.commit { [self, used] writer in
            if !used.isEmpty { try writer.touch(used) }
            for (index, work) in batch.enumerated() {
                if index >= Self.leastBatchSize, storage.isAwaited { return index }
                switch work {
                case .insert(let id, let url, let row):
                    if try !isPending(id, url) || !writer.insert(row) { row.response.body.deleteFile() }
                case .change(let change): try change(&writer)
                case .mark: break
                }
            }
            return batch.count
        }
    }

    /// Drops each response whose file fails, alone.
    /// - Parameter last: the last response whose file is on the device, since a part of a batch may come again.
    private func synchronizeFiles(of batch: [Work], since last: inout UInt64, _ storage: TableStorage) {
        for case .insert(let id, let url, let row) in batch where id > last {
            last = id
            guard row.response.body.isInFile, isPending(id, url) else { continue }
            do { try row.response.body.synchronizeFile() } catch {
                storage.failed(error)
                state.withLock { drop(id, url, row, from: &$0) }
            }
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

    /// Ends work that was written, and returns the rest of its batch to the queue.
    private func finish(_ written: ArraySlice<Work>, putBack rest: ArraySlice<Work>) {
        state.withLock { state in
            for case .insert(let id, let url, let row) in written { drop(id, url, row, from: &state) }
            if !rest.isEmpty { state.queue.insert(contentsOf: rest, at: 0) }
        }
        for case .mark(let mark) in written { mark.fulfill(()) }
    }

    private func drop(_ id: UInt64, _ url: String, _ row: CacheTableWriter.Row, from state: inout State) {
        guard var list = state.pending[url], let index = list.firstIndex(where: { $0.id == id }) else { return }
        list.remove(at: index)
        state.bytes -= row.response.memoryCost
        state.pending[url] = list.isEmpty ? nil : list
    }
}
