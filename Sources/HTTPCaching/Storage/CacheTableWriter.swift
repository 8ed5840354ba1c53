import Foundation
import StoreCore

/// The writing statements of a cache's tables. Use one within a transaction; then delete ``deletedFiles``.
///
/// What it changes of the totals is written once, at the end.
struct CacheTableWriter: Sendable {
    /// The most rows that one insertion evicts, so that it takes no long pause.
    private static let maximumEvictions = 32
    /// The place of a row without a response in the order of use: after those with one.
    private static let last = Int64.max

    let store: any LocalStore
    private let limits: HTTPCache.Limits
    /// The number of the last change.
    private(set) var number: Int64 = 0
    /// The number of the last removal.
    var removed: Int64 = 0
    var usage = CacheUsage()
    /// The files of removed responses.
    var deletedFiles: [String] = []
    /// The number of evicted responses.
    private(set) var evictions = 0

    /// Reads the state.
    init(_ store: any LocalStore, limits: HTTPCache.Limits) throws {
        self.store = store
        self.limits = limits
        var isFound = false
        var (number, removed, usage) = (Int64(0), Int64(0), CacheUsage())
        try store.query("SELECT number, entries, bytes, removed FROM \(CacheTables.state) WHERE id = 1", []) { row in
            number = row.int64(at: 0) ?? 0
            usage = CacheUsage(entries: Int(row.int64(at: 1) ?? 0), bytes: Int(row.int64(at: 2) ?? 0))
            removed = row.int64(at: 3) ?? 0
            isFound = true
            return false
        }
        guard isFound else {
            throw StoreError(.corrupt, "Table \(CacheTables.state) of the cache has no row; drop the cache's tables.")
        }
        (self.number, self.removed, self.usage) = (number, removed, usage)
    }

    /// Writes the state.
    func finish() throws {
        try store.execute(
            "UPDATE \(CacheTables.state) SET number = ?, removed = ?, entries = ?, bytes = ? WHERE id = 1",
            [.integer(number), .integer(removed), .integer(Int64(usage.entries)), .integer(Int64(usage.bytes))])
    }

    mutating func next() -> Int64 {
        number += 1
        return number
    }

    // MARK: Insertion

    /// A response to be written.
    struct Row {
        let key: String
        let variant: String
        let prefix: String
        let partition: String
        let ticket: Int64
        let response: StoredResponse
    }

    /// - Returns: false if the response was refused.
    mutating func insert(_ row: Row) throws -> Bool {
        guard try permits(row.key, since: row.ticket) else { return false }
        let content = Content(row.response)
        // Most are the first for their URL, and need no look at what is there.
        if try row.variant != row.prefix || !add(row, content, lists: nil) {
            let known = try find(row.key, row.variant)
            if let known, isSuperseded(row, by: known) { return false }
            let lists = try keepList(row, replacing: known)
            _ = try add(row, content, lists: row.variant == row.prefix ? lists : nil)
        }
        try evict()
        return true
    }

    /// The columns of a response, which are encoded once however many statements it takes.
    private struct Content {
        let head: StoreValue
        let (file, sum, body): (StoreValue, StoreValue, StoreValue)

        init(_ response: StoredResponse) {
            head = .blob(StoredHeadCoding.encode(response))
            switch response.body.bytes {
            case .memory(let data):
                (file, sum, body) = (.null, .integer(data.withUnsafeBytes { StoredChecksum.of($0) }), .blob(data))
            case .file(let url, _): (file, sum, body) = (.text(url.lastPathComponent), .null, .null)
            }
        }
    }

    /// Adds a row, unless there is one with its keys.
    private mutating func add(_ row: Row, _ content: Content, lists: String?) throws -> Bool {
        let (version, size) = (next(), row.response.cost)
        let count = try store.execute(
            CacheTables.insertion,
            [
                .text(row.key), .text(row.variant), .text(row.partition), .integer(version), .integer(version),
                .integer(Int64(size)), lists.map { .text($0) } ?? .null, content.sum, content.file, content.head,
                content.body,
            ])
        guard count == 1 else { return false }
        if content.file != .null {
            try store.execute("INSERT INTO \(CacheTables.file) (name) VALUES (?)", [content.file])
        }
        usage.entries += 1
        usage.bytes += size
        return true
    }

    /// True unless the URL, or everything, was removed since a response was requested.
    func permits(_ key: String, since ticket: Int64) throws -> Bool {
        // A greater ticket is that of earlier tables, which were dropped since then.
        guard removed > ticket else { return ticket <= number }
        return try !CacheTables.isRemoved(key, since: ticket, in: store)
    }

    /// What an insertion needs to know of a row.
    private struct Known {
        let version: Int64
        let lists: String?
        let removed: Removed
        /// The time when its body was received; nil for a row without a response.
        let receivedTime: Double?
    }

    private func find(_ key: String, _ variant: String) throws -> Known? {
        var known: Known?
        try store.query(
            "SELECT version, lists, size, file, head FROM \(CacheTables.entry) WHERE key = ? AND variant = ?",
            [.text(key), .text(variant)]
        ) { row in
            known = Known(
                version: row.int64(at: 0) ?? 0, lists: row.text(at: 1),
                removed: Removed(
                    key: key, variant: variant, size: Int(row.int64(at: 2) ?? 0), file: row.text(at: 3),
                    lists: row.text(at: 1)),
                receivedTime: row.withBytes(at: 4) { StoredHeadCoding.receivedTime(in: $0) } ?? nil)
            return false
        }
        return known
    }

    /// True if a response of the same key was written after this one was requested, and has a newer body.
    ///
    /// A 304 that has confirmed it meanwhile does not count: the server may have decided on that before.
    private func isSuperseded(_ row: Row, by known: Known) -> Bool {
        guard known.version > row.ticket, let time = known.receivedTime else { return false }
        return time > row.response.receivedTime
    }

    /// Removes the row that a new one replaces, and adds its list of names to those of the URL.
    ///
    /// A row without a response takes the lists, if there is no other.
    /// - Returns: the lists.
    private mutating func keepList(_ row: Row, replacing known: Known?) throws -> String? {
        let base = row.variant == row.prefix ? known : try find(row.key, row.prefix)
        guard !row.response.varying.isEmpty else {
            if let base { try delete(base.removed) }
            return base?.lists
        }
        if let known { try delete(known.removed) }
        let lists = VaryLists(base?.lists).adding(row.response.varying).text
        if lists == base?.lists { return lists }
        let address: [StoreValue] = [.text(row.key), .text(row.prefix)]
        if base != nil {
            try store.execute(
                "UPDATE \(CacheTables.entry) SET lists = ? WHERE key = ? AND variant = ?", [.text(lists)] + address)
            return lists
        }
        try store.execute(
            """
            INSERT INTO \(CacheTables.entry) (key, variant, partition, version, used, size, lists) \
            VALUES (?, ?, ?, ?, ?, 0, ?)
            """,
            address + [.text(row.partition), .integer(next()), .integer(Self.last), .text(lists)])
        return lists
    }

    // MARK: Deletion

    /// Evicts a number of responses that takes no long pause; ``exceedsLimits`` tells whether there is more to do.
    mutating func evict() throws {
        var count = 0
        while count < Self.maximumEvictions, exceedsLimits {
            let rows = try rows("ORDER BY used LIMIT 8", [])
            if rows.isEmpty { break }
            for row in rows where exceedsLimits {
                try remove(row)
                count += 1
            }
        }
        evictions += count
    }

    var exceedsLimits: Bool { usage.entries > limits.entries || usage.bytes > limits.bytes }

    /// What is needed of a row to remove it.
    private struct Removed {
        let key: String
        let variant: String
        /// 0 for a row without a response.
        let size: Int
        let file: String?
        let lists: String?
    }

    private func rows(_ condition: String, _ parameters: [StoreValue]) throws -> [Removed] {
        var rows: [Removed] = []
        let sql = "SELECT key, variant, size, file, lists FROM \(CacheTables.entry) \(condition)"
        try store.query(sql, parameters) { row in
            rows.append(
                Removed(
                    key: row.text(at: 0) ?? "", variant: row.text(at: 1) ?? "",
                    size: Int(row.int64(at: 2) ?? 0),
                    file: row.text(at: 3), lists: row.text(at: 4)))
            return true
        }
        return rows
    }

    /// Removes a response, unless it was replaced.
    /// - Returns: whether it was there.
    @discardableResult
    mutating func remove(_ version: Int64, key: String, variant: String) throws -> Bool {
        let rows = try rows(
            "WHERE key = ? AND variant = ? AND version = ?",
            [.text(key), .text(variant), .integer(version)])
        for row in rows { try remove(row) }
        return !rows.isEmpty
    }

    /// Removes the response of a row.
    ///
    /// The lists of names stay as long as there are variants, which are not found without them: a row without a
    /// response, which counts nowhere and goes with the last variant.
    private mutating func remove(_ row: Removed) throws {
        guard row.lists != nil, try hasVariants(row.variant, row.key) else {
            try delete(row)
            return try deleteLists(of: row)
        }
        try store.execute(
            """
            UPDATE \(CacheTables.entry) SET version = ?, used = ?, size = 0, sum = NULL, file = NULL, head = NULL, \
            body = NULL WHERE key = ? AND variant = ?
            """,
            [.integer(next()), .integer(Self.last), .text(row.key), .text(row.variant)])
        try subtract(row)
    }

    /// Deletes the row with the lists that found a removed variant, if neither variants nor a response need it.
    private func deleteLists(of row: Removed) throws {
        guard let end = row.variant.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return }
        let base = String(row.variant[..<end])
        guard try !hasVariants(base, row.key) else { return }
        try store.execute(
            "DELETE FROM \(CacheTables.entry) WHERE key = ? AND variant = ? AND size = 0",
            [.text(row.key), .text(base)])
    }

    private func hasVariants(_ base: String, _ key: String) throws -> Bool {
        var isFound = false
        // Their keys are that of the row, a line feed, and more; see ``Variant``.
        try store.query(
            "SELECT 1 FROM \(CacheTables.entry) WHERE key = ? AND variant > ? AND variant < ? LIMIT 1",
            [.text(key), .text(base + "\n"), .text(base + "\u{B}")]
        ) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// Deletes rows.
    mutating func delete(_ condition: String, _ parameters: [StoreValue]) throws {
        for row in try rows("WHERE \(condition)", parameters) { try delete(row) }
    }

    private mutating func delete(_ row: Removed) throws {
        try store.execute(
            "DELETE FROM \(CacheTables.entry) WHERE key = ? AND variant = ?", [.text(row.key), .text(row.variant)])
        try subtract(row)
    }

    private mutating func subtract(_ row: Removed) throws {
        if row.size > 0 { usage.entries -= 1 }
        usage.bytes -= row.size
        guard let file = row.file else { return }
        try store.execute("DELETE FROM \(CacheTables.file) WHERE name = ?", [.text(file)])
        deletedFiles.append(file)
    }
}
