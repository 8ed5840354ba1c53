package import Coordination
public import Foundation
public import HTTPMessages
public import StoreCore
import Synchronization
import Transport

/// A cache of HTTP responses (RFC 9111), in memory or in a local store.
///
/// ```swift
/// let cache = HTTPCache(in: try SQLiteStore(.file("cache.sqlite")), limits: .init(bytes: 200 << 20))
/// let transport = URLSessionTransport.shared.caching(in: cache)
/// ```
///
/// Several stacks may share a cache, and several processes a file. What fails in a cache fails no call: the response
/// comes from the server then, and observers get a ``CacheEvent``. Secret fields, such as `Set-Cookie`, are not stored;
/// bodies and URLs are, so use an encrypted store if they are confidential.
public final class HTTPCache: Sendable {
    /// Limits of a cache; beyond them, the least recently used responses are evicted.
    public struct Limits: Hashable, Sendable {
        /// The size of all responses in bytes; default 64 MiB.
        public var bytes: Int
        /// The number of responses; default 100,000.
        public var entries: Int
        /// The largest stored body in bytes; default 16 MiB, and at most an eighth of all bytes.
        public var bodyBytes: Int
        /// The largest body in a row of the store, in bytes; a larger one goes to a file. Default 256 KiB.
        public var rowBytes: Int

        /// Creates limits.
        public init(
            bytes: Int = 64 << 20, entries: Int = 100_000, bodyBytes: Int = 16 << 20, rowBytes: Int = 256 << 10
        ) {
            self.bytes = max(0, bytes)
            self.entries = max(0, entries)
            self.bodyBytes = max(0, min(bodyBytes, bytes / 8))
            self.rowBytes = max(0, rowBytes)
        }
    }

    /// The limits.
    public let limits: Limits
    /// The rules.
    public let rules: CacheRules
    let storage: any CacheStorage
    let flights = CacheFlights()
    /// What the storage failed to remove.
    let unremoved = UnremovedURLs()
    /// The changes that calls wait for at most a second.
    let changes = Mutex((lastID: 0, tasks: [Int: Task<Void, Never>]()))
    /// Seconds since 1970.
    let now: @Sendable () -> Double
    /// Measures total timeouts.
    let monotonic: AnyMonotonicClock
    private let counts = Mutex(CacheStatistics())
    private let partitions = Mutex([String: String]())

    /// Creates a cache in memory.
    /// - Parameter clock: measures ages and lifetimes. With another clock than the default, its time begins at the
    ///   current date.
    public convenience init(
        limits: Limits = Limits(), rules: CacheRules = CacheRules(), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(MemoryStorage(limits: limits), limits, rules, clock)
    }

    /// Creates a cache in the tables of a local store, which are created when the cache is used first.
    ///
    /// Responses are written behind the calls. The tables have the prefix `patchbay_cache`, and no one else's; the app
    /// may use the same store. If the store is encrypted, everything in it is, but files are not: give no folder then.
    /// - Parameters:
    ///   - files: a folder for bodies larger than ``Limits/rowBytes``, of this cache alone; nil keeps them in rows.
    ///   - clock: as for a cache in memory.
    public convenience init(
        in store: some LocalStore, files: URL? = nil, limits: Limits = Limits(), rules: CacheRules = CacheRules(),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(TableStorage(store, files: files, limits: limits, rules: rules), limits, rules, clock)
    }

    /// A cache in memory with a clock of any type.
    package convenience init(on clock: AnyMonotonicClock) {
        let limits = Limits()
        self.init(MemoryStorage(limits: limits), limits, CacheRules(), on: clock)
    }

    private convenience init(
        _ storage: any CacheStorage, _ limits: Limits, _ rules: CacheRules, on clock: AnyMonotonicClock
    ) {
        let start = Date().timeIntervalSince1970.rounded() - clock.now / .seconds(1)
        self.init(storage, limits, rules, now: { start + clock.now / .seconds(1) }, monotonic: clock)
    }

    /// A cache in memory with a date that can be set.
    package convenience init(
        limits: Limits = Limits(), rules: CacheRules = CacheRules(), now: @escaping @Sendable () -> Double
    ) {
        self.init(MemoryStorage(limits: limits), limits, rules, now: now)
    }

    init(
        _ storage: any CacheStorage, _ limits: Limits, _ rules: CacheRules, now: @escaping @Sendable () -> Double,
        monotonic: AnyMonotonicClock = .continuous
    ) {
        (self.storage, self.limits, self.rules, self.now) = (storage, limits, rules, now)
        self.monotonic = monotonic
    }

    convenience init(_ storage: any CacheStorage, _ limits: Limits, _ rules: CacheRules, _ clock: some Clock<Duration>)
    {
        guard !(clock is ContinuousClock) else {
            // The date, which also passes while the process does not run.
            self.init(storage, limits, rules, now: { Date().timeIntervalSince1970 })
            return
        }
        self.init(storage, limits, rules, on: AnyMonotonicClock(clock))
    }

    // MARK: Content

    /// Counts since the cache was created, and its size.
    ///
    /// Reads the store.
    public var statistics: CacheStatistics {
        var statistics = counts.withLock { $0 }
        statistics.failures += storage.writeFailures
        if let usage = try? storage.usage {
            (statistics.entries, statistics.bytes, statistics.evicted) = (usage.entries, usage.bytes, usage.evicted)
        }
        return statistics
    }

    /// Removes the responses of a URL, for all users.
    /// - Throws: the error of the store.
    public func remove(_ url: URL) async throws {
        guard let key = try? HTTPRequest(.get, url).url.cacheKey else { return }
        try await storage.removeAll(url: key)
    }

    /// Removes all responses. Responses that are on their way are not stored either.
    /// - Throws: the error of the store.
    public func removeAll() async throws {
        try await storage.removeAll(partition: nil)
        partitions.withLock { $0 = [:] }
    }

    /// Removes the responses of a user, as at a sign-out. Responses that are on their way are not stored either.
    /// - Throws: the error of the store.
    public func removeAll(partition: CachePartition) async throws {
        try await storage.open(atMost: nil)
        try await storage.removeAll(partition: try hashed(partition.text))
        partitions.withLock { $0[partition.text] = nil }
    }

    /// Waits until what calls have brought so far is written to the store.
    ///
    /// For a program that ends, or an app that is suspended: responses are written behind the calls. Requests in flight
    /// are not waited for, and a cache in memory returns at once. A write that fails is counted in
    /// ``CacheStatistics/failures``. Cancelling the task does not end the wait.
    public func flush() async {
        await waitForChanges()
        if let tables = storage as? TableStorage { await tables.behind.flush() }
    }

    // MARK: Keys

    /// What a request selects stored responses by; nil if it cannot be answered from a cache.
    func lookup(for request: HTTPRequest) throws -> CacheLookup? {
        let partition = try partition(of: request)
        var prefix = partition
        let visited = request.options.visitedOrigins
        if !visited.isEmpty {
            // Their servers chose the request, which may lack credentials: neither may it find what was loaded
            // with them, nor may a request that has them find what it brought.
            let way = visited.map(\.text).sorted().joined(separator: " ")
            prefix += "\rLEFT " + (try storage.keyedHash().text(of: way))
        }
        if request.options.hasLayerOptions, let page = request.options.cookieSite?.cacheKey(for: request.url) {
            prefix += "\rPAGE " + (try storage.keyedHash().text(of: page))
        }
        switch request.method {
        case .get, .head, .post, .patch: break
        case .query:
            guard case .bytes(let content) = request.body.source, content.count <= 1 << 20 else { return nil }
            let type = request.fields[.contentType] ?? ""
            prefix += "\rQUERY " + (try storage.keyedHash().text(of: Array("\(type)\n".utf8) + content))
        default: return nil
        }
        let url = request.url.cacheKey
        return CacheLookup(
            url: url, key: try storage.key(of: url), partition: partition, prefix: prefix, fields: request.fields,
            credentialFields: request.options.credentialFields)
    }

    /// The hashed user of a request; empty for none.
    private func partition(of request: HTTPRequest) throws -> String {
        if request.options.hasLayerOptions, let partition = request.options.cachePartition {
            return try hashed(partition.text)
        }
        // A credential that does not say which user it is for: only the same one may use the response.
        guard !rules.isShared, let credential = request.fields[.authorization] else { return "" }
        return try hashed(CachePartition.credential(credential).text)
    }

    private func hashed(_ text: String) throws -> String {
        if let known = partitions.withLock({ $0[text] }) { return known }
        let hash = "u" + (try storage.keyedHash().text(of: text))
        partitions.withLock { known in
            // Credentials change: the map only saves the work for the current ones.
            if known.count >= 64 { known = [:] }
            known[text] = hash
        }
        return hash
    }

    // MARK: Statistics

    func count(_ change: (inout CacheStatistics) -> Void) { counts.withLock { change(&$0) } }

    func count(_ status: CacheStatus) {
        counts.withLock { counts in
            if status.isHit { counts.hits += 1 }
            if status.isCollapsed { counts.collapsed += 1 }
            guard let reason = status.forward else { return }
            switch reason {
            case .bypass, .method: counts.bypassed += 1
            case .stale, .request: counts.revalidations += 1
            default: counts.misses += 1
            }
        }
    }
}

extension HTTPCache: CustomStringConvertible {
    /// The limits.
    public var description: String { "HTTP cache of up to \(limits.bytes) bytes and \(limits.entries) responses" }
}

extension HTTPCache {
    /// Waits until no request is in flight for other calls or in the background, and all responses are written.
    package func waitUntilIdle() async {
        await flights.waitUntilEmpty()
        await waitForChanges()
        if let tables = storage as? TableStorage { await tables.behind.waitUntilIdle() }
    }

    /// Waits for the changes that calls no longer wait for.
    private func waitForChanges() async {
        await unremoved.waitUntilIdle()
        for task in changes.withLock({ Array($0.tasks.values) }) { await task.value }
    }

    /// The number of calls that wait for the requests of others.
    package var followerCount: Int { flights.followerCount }
}
