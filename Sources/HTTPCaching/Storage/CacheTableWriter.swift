import Foundation
import StoreCore

/// The writing statements of a cache's tables. Use one within a transaction; then delete ``deletedFiles``.
///
/// What it changes of the totals is written once, at the end.
struct CacheTableWriter: Sendable {
    /// The most rows that one insertion evicts, so that it takes no long pause.
    private static let maximumEvictions = 32
    /// The most removals by URL that are kept.
    private static let maximumRemovals: Int64 = 1_000

    private let store: any LocalStore
    private let limits: HTTPCache.Limits
    /// The number of the last change.
    private(set) var number: Int64 = 0
    /// The number of the last removal.
    private var removed: Int64 = 0
    private var usage = CacheUsage()
    private(set) var deletedFiles: [String] = []
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

    private mutating func next() -> Int64 {
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
        guard try permits(row) else { return false }
        let known = try find(row.key, row.variant)
        if let known, isSuperseded(row, by: known) { return false }
        let lists = try keepList(row, replacing: known)
        let version = next()
        let body = row.response.body
        var (file, bytes, sum): (StoreValue, StoreValue, StoreValue) = (.null, .null, .null)
        switch body.bytes {
        case .memory(let data):
            (bytes, sum) = (.blob(data), .integer(data.withUnsafeBytes { StoredChecksum.of($0) }))
        case .file(let url, _):
            file = .text(url.lastPathComponent)
            try store.execute("INSERT INTO \(CacheTables.file) (name) VALUES (?)", [file])
        }
        try store.execute(
            """
            INSERT INTO \(CacheTables.entry) (key, variant, partition, version, used, size, lists, sum, file, head, body) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(row.key), .text(row.variant), .text(row.partition), .integer(version), .integer(version),
                .integer(Int64(row.response.cost)),
                row.variant == row.prefix ? lists.map { .text($0) } ?? .null : .null,
                sum, file, .blob(StoredHeadCoding.encode(row.response)), bytes,
            ])
        usage.entries += 1
        usage.bytes += row.response.cost
        try evict()
        return true
    }

    /// True unless the URL, or everything, was removed since the response was requested.
    private func permits(_ row: Row) throws -> Bool {
        // A greater ticket is that of earlier tables, which were dropped since then.
        guard removed > row.ticket else { return row.ticket <= number }
        var isPermitted = true
        try store.query(
            "SELECT number FROM \(CacheTables.removal) WHERE key IN (?, '')", [.text(row.key)]
        ) { removal in
            if removal.int64(at: 0) ?? 0 > row.ticket { isPermitted = false }
            return isPermitted
        }
        return isPermitted
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
                removed: (key, variant, Int(row.int64(at: 2) ?? 0), row.text(at: 3)),
                receivedTime: row.withBytes(at: 4) { StoredHeadCoding.receivedTime(in: $0) } ?? nil)
            return false
        }
        return known
    }

    /// True if a response of the same key was written after this one was requested, and has a newer body: a 304 that
    /// has confirmed it meanwhile does not count, since the server may have decided on that before.
    private func isSuperseded(_ row: Row, by known: Known) -> Bool {
        guard known.version > row.ticket, let time = known.receivedTime else { return false }
        return time > row.response.receivedTime
    }

    /// Removes the row that a new one replaces, and adds its list of names to those of the URL, which it returns. A row
    /// without a response takes the lists, if there is no other.
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

    // MARK: Changes

    /// Replaces the head of a response.
    /// - Returns: the new version; nil if the response was removed or replaced.
    mutating func replace(_ version: Int64, key: String, variant: String, with new: StoredResponse) throws -> Int64? {
        let number = next()
        let count = try store.execute(
            "UPDATE \(CacheTables.entry) SET version = ?, used = ?, head = ? WHERE key = ? AND variant = ? AND version = ?",
            [
                .integer(number), .integer(number), .blob(StoredHeadCoding.encode(new)), .text(key), .text(variant),
                .integer(version),
            ])
        return count == 1 ? number : nil
    }

    /// Notes that responses were used.
    mutating func touch(_ rows: some Sequence<(key: String, variant: String)>) throws {
        let number = next()
        for row in rows {
            // Also the row with the lists of names, without which a variant is not found.
            let base = row.variant.utf8.firstIndex(of: UInt8(ascii: "\n")).map { String(row.variant[..<$0]) }
            for variant in [row.variant, base] {
                guard let variant else { continue }
                try store.execute(
                    "UPDATE \(CacheTables.entry) SET used = ? WHERE key = ? AND variant = ?",
                    [.integer(number), .text(row.key), .text(variant)])
            }
        }
    }

    /// Removes a response, unless it was replaced.
    mutating func remove(_ version: Int64, key: String, variant: String) throws {
        try delete("key = ? AND variant = ? AND version = ?", [.text(key), .text(variant), .integer(version)])
    }

    /// - Returns: the number of the removal.
    mutating func removeAll(key: String) throws -> Int64 {
        try delete("key = ?", [.text(key)])
        let number = next()
        removed = number
        try store.execute("DELETE FROM \(CacheTables.removal) WHERE key = ?", [.text(key)])
        try store.execute(
            "INSERT INTO \(CacheTables.removal) (key, number) VALUES (?, ?)", [.text(key), .integer(number)])
        var count: Int64 = 0
        try store.query("SELECT COUNT(*) FROM \(CacheTables.removal)", []) { row in
            count = row.int64(at: 0) ?? 0
            return false
        }
        if count > Self.maximumRemovals { try raiseFloor() }
        return removed
    }

    /// - Returns: the number of the removal.
    mutating func removeAll(partition: String?) throws -> Int64 {
        if let partition {
            try delete("partition = ? AND partition <> ''", [.text(partition)])
        } else {
            try store.query("SELECT name FROM \(CacheTables.file)", []) { row in
                if let name = row.text(at: 0) { deletedFiles.append(name) }
                return true
            }
            try store.execute("DELETE FROM \(CacheTables.file)", [])
            try store.execute("DELETE FROM \(CacheTables.entry)", [])
            usage = CacheUsage()
        }
        try raiseFloor()
        return removed
    }

    /// Forgets removals by URL: nothing that was requested before is stored any more.
    private mutating func raiseFloor() throws {
        let number = next()
        removed = number
        try store.execute("DELETE FROM \(CacheTables.removal)", [])
        try store.execute("INSERT INTO \(CacheTables.removal) (key, number) VALUES ('', ?)", [.integer(number)])
    }

    /// Evicts a number of responses that takes no long pause; ``exceedsLimits`` tells whether there is more to do.
    mutating func evict() throws {
        var count = 0
        while count < Self.maximumEvictions, exceedsLimits {
            let rows = try rows(
                "SELECT key, variant, size, file FROM \(CacheTables.entry) ORDER BY used LIMIT 8", [])
            if rows.isEmpty { break }
            for row in rows where exceedsLimits {
                try delete(row)
                count += 1
            }
        }
        evictions += count
    }

    var exceedsLimits: Bool { usage.entries > limits.entries || usage.bytes > limits.bytes }

    private typealias Removed = (key: String, variant: String, size: Int, file: String?)

    private func rows(_ sql: String, _ parameters: [StoreValue]) throws -> [Removed] {
        var rows: [Removed] = []
        try store.query(sql, parameters) { row in
            rows.append((row.text(at: 0) ?? "", row.text(at: 1) ?? "", Int(row.int64(at: 2) ?? 0), row.text(at: 3)))
            return true
        }
        return rows
    }

    private mutating func delete(_ condition: String, _ parameters: [StoreValue]) throws {
        let removed = try rows(
            "SELECT key, variant, size, file FROM \(CacheTables.entry) WHERE \(condition)", parameters)
        for row in removed { try delete(row) }
    }

    private mutating func delete(_ row: Removed) throws {
        try store.execute(
            "DELETE FROM \(CacheTables.entry) WHERE key = ? AND variant = ?", [.text(row.key), .text(row.variant)])
        usage.entries -= 1
        usage.bytes -= row.size
        guard let file = row.file else { return }
        try store.execute("DELETE FROM \(CacheTables.file) WHERE name = ?", [.text(file)])
        deletedFiles.append(file)
    }
}
