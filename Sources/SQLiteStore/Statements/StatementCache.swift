import StoreCore

/// LRU cache of a connection's prepared statements.
///
/// Eviction scans all entries for the oldest use, which is cheap at this size. An evicted statement in use stays valid.
struct StatementCache: ~Copyable {
    private struct Entry {
        var statement: SQLiteStatement
        var lastUse: UInt64
    }

    /// Longer statements are not cached: they usually contain literals, run once, and take much memory.
    private static let maximumTextLength = 16_384

    private let capacity: Int
    private var entries: [SQLText: Entry] = [:]
    private var latest: SQLiteStatement?
    private var uses: UInt64 = 0

    /// - Parameter capacity: maximum number of statements; 0 or less disables the cache.
    init(capacity: Int) { self.capacity = capacity }

    /// The statement found or inserted last, if it has this text: a fast path without hashing.
    @inline(__always)
    func mostRecent(_ text: String) -> SQLiteStatement? {
        guard let latest, latest.sql.isIdentical(to: text) || latest.sql.hasBytes(of: text) else { return nil }
        return latest
    }

    /// The cached statement with this text.
    mutating func find(_ sql: SQLText) -> SQLiteStatement? {
        uses += 1
        // The index saves hashing the text a second time.
        guard let index = entries.index(forKey: sql) else { return nil }
        entries.values[index].lastUse = uses
        let statement = entries.values[index].statement
        latest = statement
        return statement
    }

    /// Replaces a cached statement by its recompiled form.
    mutating func replace(_ old: SQLiteStatement, with new: SQLiteStatement) {
        guard entries[old.sql]?.statement === old else { return }
        entries[old.sql]?.statement = new
        if latest === old { latest = new }
    }

    /// Inserts a statement, evicting the least recently used one when the cache is full.
    mutating func insert(_ statement: SQLiteStatement) {
        guard capacity > 0, statement.sql.text.utf8.count <= Self.maximumTextLength else { return }
        uses += 1
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[statement.sql] = Entry(statement: statement, lastUse: uses)
        latest = statement
    }

    /// Removes all statements, after a schema change.
    mutating func removeAll() {
        entries = [:]
        latest = nil
    }
}
