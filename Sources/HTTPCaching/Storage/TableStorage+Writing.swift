import Coordination
import Foundation
import HTTPMessages
import StoreCore
import Synchronization

extension TableStorage {
    func insert(_ response: StoredResponse, _ lookup: CacheLookup, ticket: Int64) async throws -> Bool {
        let hash = try keyedHash()
        let stored = try inFile(response)
        let row = row(stored, lookup, hash, ticket: ticket)
        let isTaken = behind.insert(row, CacheEntry(url: lookup.url, variant: row.variant, response: stored), self)
        if !isTaken { stored.body.deleteFile() }
        return isTaken
    }

    private func row(
        _ response: StoredResponse, _ lookup: CacheLookup, _ hash: KeyedHash, ticket: Int64
    ) -> CacheTableWriter.Row {
        CacheTableWriter.Row(
            key: lookup.key,
            variant: Variant.key(of: lookup, names: response.varying, hash),
            prefix: lookup.prefix, partition: lookup.partition, ticket: ticket, response: response)
    }

    /// The response with a body in a file, if it is too large for a row.
    private func inFile(_ response: StoredResponse) throws -> StoredResponse {
        guard let files, case .memory(let data) = response.body.bytes, data.count > limits.rowBytes,
            response.body.isComplete
        else { return response }
        let file = try files.make()
        do { try file.append(data) } catch {
            file.delete()
            throw error
        }
        return response.with(body: StoredBody(file: file.url, count: file.count))
    }

    func replace(_ old: CacheEntry, with new: StoredResponse, _ lookup: CacheLookup) async throws -> StoredResponse? {
        guard new.varying == old.response.varying else { return nil }
        let key = lookup.key
        guard let version = try await version(of: old, key) else { return nil }
        let number = try await write { writer in
            try writer.replace(version, key: key, variant: old.variant, with: new)
        }
        return number.map { new.with(version: $0) }
    }

    func move(_ old: CacheEntry, to new: StoredResponse, _ lookup: CacheLookup, ticket: Int64) async throws -> Bool {
        let key = lookup.key
        guard let version = try await version(of: old, key) else { return false }
        let row = row(new, lookup, try keyedHash(), ticket: ticket)
        return try await write { writer in
            try writer.move(version, key: key, variant: old.variant, to: row)
        }
    }

    func remove(_ entry: CacheEntry) async throws {
        let key = try key(of: entry.url)
        guard let version = try await version(of: entry, key) else { return }
        try await write { writer in
            try writer.remove(version, key: key, variant: entry.variant)
        }
    }

    /// The version of a response, which it has once it is written; nil if another one has replaced it.
    private func version(of entry: CacheEntry, _ key: String) async throws -> Int64? {
        guard entry.response.version == 0 else { return entry.response.version }
        await behind.flush()
        guard let found = try read(key, entry.variant)?.response,
            found.responseTime == entry.response.responseTime, found.fields == entry.response.fields
        else {
            return nil
        }
        return found.version
    }

    @discardableResult
    func removeAll(urls: Set<String>, since ticket: Int64) async throws -> Int64? {
        try await open(atMost: nil)
        let keys = Set(try urls.map { try key(of: $0) })
        let removal = try await write { writer in try writer.removeAll(keys: keys, since: ticket) }
        for url in urls { behind.removed(url, number: removal.number) { $0.url == url } }
        return removal.isFirst ? removal.number : nil
    }

    func removeAll(partition: String?) async throws {
        try await open(atMost: nil)
        let number = try await write { writer in try writer.removeAll(partition: partition) }
        behind.removed(nil, number: number) { entry in
            partition.map { entry.variant.isKey(in: $0) } ?? true
        }
    }

    func makeBodyFile() throws -> BodyFile? { try files?.make() }

    // MARK: Transactions

    /// True while a call waits for a change of its own, as a removal.
    var isAwaited: Bool { awaited.load(ordering: .relaxed) > 0 }

    /// Runs a change that a call waits for: it does not wait for the queue, but at most for a few of its rows.
    @discardableResult
    func write<Result: Sendable>(
        _ change: @escaping @Sendable (inout CacheTableWriter) throws -> Result
    ) async throws -> Result {
        awaited.add(1, ordering: .relaxed)
        defer { awaited.subtract(1, ordering: .relaxed) }
        return try await commit(change)
    }

    /// Runs a change in a transaction, and deletes the files of removed responses.
    ///
    /// A response in the queue that was requested before a removal is refused when its turn comes. The task is one that
    /// no caller's cancellation cancels: after a write to the server, what is stored must be removed.
    func commit<Result: Sendable>(
        _ change: @escaping @Sendable (inout CacheTableWriter) throws -> Result
    ) async throws -> Result {
        let task = Task(executorPreference: WorkerThreads.calls) { [self] in
            try await store.transaction { [self] () throws -> (Result, CacheTableWriter) in
                var writer = try CacheTableWriter(store, limits: limits)
                if writer.number < lastCommittedNumber.load(ordering: .acquiring) { forgetTables(for: writer.number) }
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
