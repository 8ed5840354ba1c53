import Coordination
import Foundation
import HTTPMessages
import StoreCore
import Synchronization
import SystemLibraries

/// Responses in the tables of a local store, and large bodies in files of a folder.
///
/// New responses are written behind the call, several in one transaction; until then they are found in memory. A
/// response in a row is read from the store each time, since other processes may have replaced it; only its decoded
/// head is kept, by the version of the row.
final class TableStorage: CacheStorage {
    private struct State {
        /// Decoded heads by their version, without bodies.
        var heads: [Int64: (response: StoredResponse, length: Int64?)] = [:]
        /// The rows that were used since the last write.
        var used: [Int64: (key: String, variant: String)] = [:]
        /// URLs with secrets, and their keys.
        var keys: [String: String] = [:]
        /// The failure of a write behind a call, for the next one.
        var failure: (any Error)?
        var failures = 0
    }

    private static let maximumHeads = 2_048
    private static let maximumUsed = 512

    let store: any LocalStore
    let limits: HTTPCache.Limits
    private let rules: CacheRules
    let files: BodyFolder?
    let opening = TableOpening()
    private let state = Mutex(State())
    let behind: WriteBehind
    let evictions = Atomic(0)
    /// The number of changes that calls wait for.
    let awaited = Atomic(0)
    /// False for a store without `UNION ALL`.
    private let combinesQueries = Atomic(true)
    /// The greatest number of the tables' state that this process has read or committed; 0 before.
    let lastCommittedNumber = Atomic<Int64>(0)

    init(_ store: any LocalStore, files: URL?, limits: HTTPCache.Limits, rules: CacheRules) {
        self.store = store
        self.limits = limits
        self.rules = rules
        self.files = files.map(BodyFolder.init)
        behind = WriteBehind()
    }

    var isOpen: Bool { opening.isDone }

    func open(atMost limit: Duration?) async throws {
        try await opening.wait(atMost: limit, in: self)
    }

    /// Reads the key if the tables exist, and creates none: see ``open(atMost:)``.
    func keyedHash() throws -> KeyedHash {
        // Not under a lock, since a store may call the app's code; two calls find the same key.
        try opening.hash ?? opening.keep(try CacheTables.key(in: store), in: self)
    }

    // MARK: Reading

    func find(_ lookup: CacheLookup, at now: Double) throws -> CacheFinding {
        if let (entry, ticket) = try behind.find(lookup, keyedHash), try !isRemoved(lookup.key, since: ticket) {
            return CacheFinding(entry: entry, isKnown: true)
        }
        var number: Int64?
        guard let row = try readFirst(lookup, &number) else { return CacheFinding(ticket: number) }
        var (response, found) = (row.response, lookup.prefix)
        if let lists = row.lists {
            let hash = try keyedHash()
            for names in VaryLists(lists).lists {
                let variant = Variant.key(of: lookup, names: names, hash)
                guard let other = try read(lookup.key, variant)?.response, other.varying == names,
                    other.recency(at: now) > response?.recency(at: now) ?? -.infinity
                else { continue }
                (response, found) = (other, variant)
            }
        }
        guard let response else { return CacheFinding(isKnown: true) }
        touch(response.version, lookup.key, found)
        return CacheFinding(entry: CacheEntry(url: lookup.url, variant: found, response: response), isKnown: true)
    }

    struct Row {
        let response: StoredResponse?
        let lists: String?
    }

    /// Reads the row with which a look-up begins; if there is none, the number of the state in the same query.
    private func readFirst(_ lookup: CacheLookup, _ number: inout Int64?) throws -> Row? {
        do {
            let sql = combinesQueries.load(ordering: .relaxed) ? CacheTables.findWithNumber : CacheTables.find
            let row = try read(lookup.key, lookup.prefix, by: sql, &number)
            if let number { noteCommitted(number) }
            return row
        } catch let error as StoreError where error.code == .unsupportedSQL {
            combinesQueries.store(false, ordering: .relaxed)
            return try read(lookup.key, lookup.prefix)
        }
    }

    /// Reads a row; nil if there is none.
    /// - Throws: the error of the store; ``CacheStorageError`` for a damaged row, which is removed.
    func read(_ key: String, _ variant: String) throws -> Row? {
        var number: Int64?
        return try read(key, variant, by: CacheTables.find, &number)
    }

    @inline(__always)
    private func read(_ key: String, _ variant: String, by sql: String, _ number: inout Int64?) throws -> Row? {
        var (found, damaged) = (nil as Row?, nil as Int64?)
        try store.query(sql, [.text(key), .text(variant)]) { row in
            guard let version = row.int64(at: 0) else {
                number = row.int64(at: 4)
                return true
            }
            do {
                found = Row(response: try response(row, version), lists: row.text(at: 1))
            } catch {
                damaged = version
            }
            return false
        }
        guard let damaged else { return found }
        behind.change(self) { writer in try writer.remove(damaged, key: key, variant: variant) }
        throw CacheStorageError.damagedRow
    }

    /// The response in a row; nil for a row that has only lists.
    /// - Throws: ``CacheStorageError``.
    private func response(_ row: borrowing StoreRow, _ version: Int64) throws -> StoredResponse? {
        let bytes: StoredBody.Bytes
        if let name = row.text(at: 3) {
            guard let files else { throw CacheStorageError.damagedBody }
            bytes = try files.bytes(name)
        } else if let sum = row.int64(at: 2) {
            guard row.withBytes(at: 6, { StoredChecksum.of($0) }) == sum, let data = row.blob(at: 6) else {
                throw CacheStorageError.damagedRow
            }
            bytes = .memory(data)
        } else {
            return nil
        }
        if let known = state.withLock({ $0.heads[version] }) {
            let body = known.response.body.with(bytes)
            guard body.length == known.length else { throw CacheStorageError.damagedBody }
            return known.response.with(body: body)
        }
        let decoded = try row.withBytes(at: 5) { head throws(any Error) in
            try StoredHeadCoding.decode(head, body: bytes, version: version, rules: rules)
        }
        guard let decoded else { throw CacheStorageError.damagedRow }
        let head = decoded.with(body: decoded.body.with(.memory(Data())))
        state.withLock { state in
            if state.heads.count >= Self.maximumHeads { state.heads = [:] }
            state.heads[version] = (head, decoded.body.length)
        }
        return decoded
    }

    /// True if a URL was removed since a response was requested, also by another process.
    private func isRemoved(_ key: String, since ticket: Int64) throws -> Bool {
        var (removed, number): (Int64, Int64) = (0, 0)
        try store.query("SELECT removed, number FROM \(CacheTables.state) WHERE id = 1", []) { row in
            (removed, number) = (row.int64(at: 0) ?? 0, row.int64(at: 1) ?? 0)
            return false
        }
        noteCommitted(number)
        return try removed > ticket && CacheTables.isRemoved(key, since: ticket, in: store)
    }

    private func touch(_ version: Int64, _ key: String, _ variant: String) {
        let isFull = state.withLock { state in
            guard state.used[version] == nil else { return false }
            state.used[version] = (key, variant)
            return state.used.count >= Self.maximumUsed
        }
        if isFull { behind.change(self) { _ in } }
    }

    func variants(_ lookup: CacheLookup) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        try store.query(
            "SELECT \(CacheTables.columns), variant FROM \(CacheTables.entry) WHERE key = ? LIMIT 200",
            [.text(lookup.key)]
        ) { row in
            if let variant = row.text(at: 7), variant.isVariant(of: lookup.prefix),
                let response = try? response(row, row.int64(at: 0) ?? 0)
            {
                entries.append(CacheEntry(url: lookup.url, variant: variant, response: response))
            }
            return entries.count < 100
        }
        return entries
    }

    /// The number of the state as it is now, also after removals by other processes: of those, only the latest are
    /// known by their URLs.
    func ticket(for lookup: CacheLookup) throws -> Int64 {
        var number: Int64 = 0
        try store.query("SELECT number FROM \(CacheTables.state) WHERE id = 1", []) { row in
            number = row.int64(at: 0) ?? 0
            return false
        }
        noteCommitted(number)
        return number
    }

    /// Notes a number of the state, after its commit; calls note what they have read or committed in any order.
    func noteCommitted(_ number: Int64) { lastCommittedNumber.max(number, ordering: .acquiringAndReleasing) }

    /// Forgets what is known of tables that were dropped and created again, since their numbers begin again.
    func forgetTables(for number: Int64) {
        state.withLock { $0.heads = [:] }
        behind.forgetRemovals()
        lastCommittedNumber.store(number, ordering: .releasing)
    }

    var usage: CacheUsage {
        get throws {
            _ = try keyedHash()
            var usage = CacheUsage()
            try store.query("SELECT entries, bytes FROM \(CacheTables.state) WHERE id = 1", []) { row in
                usage = CacheUsage(entries: Int(row.int64(at: 0) ?? 0), bytes: Int(row.int64(at: 1) ?? 0))
                return false
            }
            usage.evicted = evictions.load(ordering: .relaxed)
            return usage
        }
    }

    // MARK: Keys

    /// The key of a URL in the tables: the URL itself, or a keyed hash of one that has secrets.
    func key(of url: String) throws -> String {
        // Where secrets are: in a query, and in parameters and keys of the path.
        guard url.hasByte(of: "?(;%") else { return url }
        if SecretNames.standard.isKnownPlain(url) { return url }
        if let known = state.withLock({ $0.keys[url] }) { return known }
        let key = URL(string: url)?.hasSecret ?? true ? "#" + (try keyedHash().text(of: url)) : url
        state.withLock { state in
            if state.keys.count >= Self.maximumHeads { state.keys = [:] }
            state.keys[url] = key
        }
        return key
    }

    // MARK: What the writer needs

    /// Takes the rows that were used since the last call.
    func takeUsed() -> [(key: String, variant: String)] {
        state.withLock { state in
            defer { state.used = [:] }
            return Array(state.used.values)
        }
    }

    func failed(_ error: any Error) {
        state.withLock { state in
            state.failure = error
            state.failures += 1
        }
    }

    var writeFailures: Int { state.withLock(\.failures) }

    func takeFailure() -> (any Error)? { state.withLock { $0.failure.take() } }
}

extension StoredBody {
    /// The same parts with other bytes.
    fileprivate func with(_ bytes: Bytes) -> StoredBody {
        guard let parts else { return StoredBody(bytes: bytes) }
        guard case .memory(let data) = bytes else { return self }
        return StoredBody(data, parts: parts, length: length)
    }
}
