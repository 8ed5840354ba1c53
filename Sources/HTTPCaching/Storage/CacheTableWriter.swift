import Foundation
import StoreCore

/// The writing statements of a cache's tables. Use one within a transaction; then delete ``deletedFiles``.
///
/// What it changes of the totals is written once, at the end.
struct CacheTableWriter: Sendable {
    /// The most rows that one insertion evicts, so that it takes no long pause.
    private static let maximumEvictions = 32

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
        // Most are the first for their URL, and need no look at what is there.
        if try row.variant != row.prefix || !add(row, lists: nil) {
            let known = try find(row.key, row.variant)
            if let known, isSuperseded(row, by: known) { return false }
            let lists = try keepList(row, replacing: known)
            _ = try add(row, lists: row.variant == row.prefix ? lists : nil)
        }
        try evict()
        return true
    }

    /// Adds a row, unless there is one with its keys.
    private mutating func add(_ row: Row, lists: String?) throws -> Bool {
        let (version, size) = (next(), row.response.cost)
        var (file, bytes, sum): (StoreValue, StoreValue, StoreValue) = (.null, .null, .null)
        switch row.response.body.bytes {
        case .memory(let data):
            (bytes, sum) = (.blob(data), .integer(data.withUnsafeBytes { StoredChecksum.of($0) }))
        case .file(let url, _): file = .text(url.lastPathComponent)
        }
        let count = try store.execute(
            CacheTables.insertion,
            [
                .text(row.key), .text(row.variant), .text(row.partition), .integer(version), .integer(version),
                .integer(Int64(size)), lists.map { .text($0) } ?? .null, sum, file,
                .blob(StoredHeadCoding.encode(row.response)), bytes,
            ])
        guard count == 1 else { return false }
        if file != .null { try store.execute("INSERT INTO \(CacheTables.file) (name) VALUES (?)", [file]) }
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
        let version = next()
        try store.execute(
            """
            INSERT INTO \(CacheTables.entry) (key, variant, partition, version, used, size, lists) \
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            address + [
                .text(row.partition), .integer(version), .integer(version), .integer(Int64(Self.listCost)),
                .text(lists),
            ])
        usage.entries += 1
        usage.bytes += Self.listCost
        return lists
    }

    /// The approximate size of a row without a response.
    private static let listCost = 256

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
    /// The lists of names in the row stay as long as there are variants, which are not found without them.
    private mutating func remove(_ row: Removed) throws {
        guard row.lists != nil, try hasVariants(row) else { return try delete(row) }
        let number = next()
        try store.execute(
            """
            UPDATE \(CacheTables.entry) SET version = ?, used = ?, size = ?, sum = NULL, file = NULL, head = NULL, \
            body = NULL WHERE key = ? AND variant = ?
            """,
            [
                .integer(number), .integer(number), .integer(Int64(Self.listCost)), .text(row.key),
                .text(row.variant),
            ])
        usage.bytes += Self.listCost - row.size
        try deleteFile(of: row)
    }

    private func hasVariants(_ row: Removed) throws -> Bool {
        var isFound = false
        // Their keys are that of the row, a line feed, and more; see ``Variant``.
        try store.query(
            "SELECT 1 FROM \(CacheTables.entry) WHERE key = ? AND variant > ? AND variant < ? LIMIT 1",
            [.text(row.key), .text(row.variant + "\n"), .text(row.variant + "\u{B}")]
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
        usage.entries -= 1
        usage.bytes -= row.size
        try deleteFile(of: row)
    }

    private mutating func deleteFile(of row: Removed) throws {
        guard let file = row.file else { return }
        try store.execute("DELETE FROM \(CacheTables.file) WHERE name = ?", [.text(file)])
        deletedFiles.append(file)
    }
}
