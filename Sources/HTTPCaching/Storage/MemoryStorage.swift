import Synchronization

/// Responses in memory.
final class MemoryStorage: CacheStorage {
    private let responses: Mutex<ResponseLRU>
    private let hash = KeyedHash()

    init(limits: HTTPCache.Limits) { responses = Mutex(ResponseLRU(limits: limits, hash: hash)) }

    func keyedHash() -> KeyedHash { hash }

    func find(_ lookup: CacheLookup, at now: Double) -> CacheFinding { responses.withLock { $0.find(lookup, at: now) } }

    func variants(_ lookup: CacheLookup) -> [CacheEntry] { responses.withLock { $0.variants(lookup, limit: 100) } }

    func ticket(for lookup: CacheLookup) -> Int64 { responses.withLock(\.number) }

    func insert(_ response: StoredResponse, _ lookup: CacheLookup, ticket: Int64) -> Bool {
        responses.withLock { $0.insert(response, lookup, ticket: ticket) }
    }

    func replace(_ old: CacheEntry, with new: StoredResponse, _ lookup: CacheLookup) -> StoredResponse? {
        responses.withLock { $0.replace(old, with: new) }
    }

    func remove(_ entry: CacheEntry) { responses.withLock { $0.remove(entry) } }

    func removeAll(urls: Set<String>, since ticket: Int64) -> Int64? {
        responses.withLock { $0.removeAll(urls: urls, since: ticket) }
    }

    func removeAll(partition: String?) { responses.withLock { $0.removeAll(partition: partition) } }

    var usage: CacheUsage { responses.withLock(\.usage) }

    var writeFailures: Int { 0 }

    func takeFailure() -> (any Error)? { nil }

    func makeBodyFile() -> BodyFile? { nil }
}
