import Foundation
import StoreCore

/// The tables of a cache in a local store, and their statements.
///
/// A response is a row with the key of its URL and that of its variant. The row whose variant is only a user has the
/// lists of names in `Vary` that responses for the URL have, so that most look-ups read one row. Such a row may have no
/// response of its own; then its `size` is 0, it counts for no limit, and it is deleted with the last variant. `used`
/// orders the responses by their last use; rows without one are the last. One row of `state` has the totals and a
/// number that grows with each change, from which versions are taken, and that of the last removal.
enum CacheTables {
    static let entry = "patchbay_cache1_entry"
    static let state = "patchbay_cache1_state"
    static let removal = "patchbay_cache1_removal"
    static let file = "patchbay_cache1_file"

    /// The columns that ``CacheRow`` reads.
    static let columns = "version, lists, sum, file, size, head, body"
    static let find = "SELECT \(columns) FROM \(entry) WHERE key = ? AND variant = ?"
    /// Finds a row, and one more that has no version, and the number of the state as its size.
    static let findWithNumber =
        find + " UNION ALL SELECT NULL, NULL, NULL, NULL, number, NULL, NULL FROM \(state) WHERE id = 1"
    /// Adds a row, unless there is one.
    static let insertion = """
        INSERT OR IGNORE INTO \(entry) (key, variant, partition, version, used, size, lists, sum, file, head, body) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Creates the tables, unless they exist.
    /// - Returns: the key of the keyed hash.
    static func create(in store: any LocalStore) throws -> [UInt8] {
        try store.schemaTransaction {
            if let key = try? key(in: store) { return key }
            for statement in creation { try store.execute(statement, []) }
            for statement in indexes {
                // A store without indexes is slower, and as good for a few thousand responses.
                do { try store.execute(statement, []) } catch let error as StoreError
                    where error.code == .unsupportedSQL
                {}
            }
            let key = KeyedHash.newKey()
            try store.execute(
                "INSERT INTO \(state) (id, number, removed, entries, bytes, hash) VALUES (1, 1, 0, 0, 0, ?)",
                [.blob(Data(key))])
            return key
        }
    }

    /// The key of the keyed hash. Waits for no writer where the store reads while it writes.
    static func key(in store: any LocalStore) throws -> [UInt8] {
        var key: Data?
        try store.query(hash, []) { row in
            key = row.blob(at: 0)
            return false
        }
        return try checked(key)
    }

    static func key(_ reader: borrowing StoreReader) throws -> [UInt8] {
        var key: Data?
        try reader.query(hash, [] as [StoreValue]) { row in
            key = row.blob(at: 0)
            return false
        }
        return try checked(key)
    }

    /// True if a URL, or everything, has a removal after a ticket.
    static func isRemoved(_ key: String, since ticket: Int64, in store: any LocalStore) throws -> Bool {
        var isRemoved = false
        try store.query("SELECT number FROM \(removal) WHERE key IN (?, '')", [.text(key)]) { row in
            if row.int64(at: 0) ?? 0 > ticket { isRemoved = true }
            return !isRemoved
        }
        return isRemoved
    }

    private static let hash = "SELECT hash FROM \(state) WHERE id = 1"

    private static func checked(_ key: Data?) throws -> [UInt8] {
        guard let key, key.count == KeyedHash.keySize else { throw CacheStorageError.damagedRow }
        return Array(key)
    }

    private static let creation = [
        """
        CREATE TABLE IF NOT EXISTS \(entry) (key TEXT NOT NULL, variant TEXT NOT NULL, partition TEXT NOT NULL, \
        version INTEGER NOT NULL, used INTEGER NOT NULL, size INTEGER NOT NULL, lists TEXT, sum INTEGER, file TEXT, \
        head BLOB, body BLOB, PRIMARY KEY (key, variant))
        """,
        """
        CREATE TABLE IF NOT EXISTS \(state) (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, removed INTEGER NOT NULL, \
        entries INTEGER NOT NULL, bytes INTEGER NOT NULL, hash BLOB NOT NULL)
        """,
        "CREATE TABLE IF NOT EXISTS \(removal) (key TEXT PRIMARY KEY, number INTEGER NOT NULL)",
        "CREATE TABLE IF NOT EXISTS \(file) (name TEXT PRIMARY KEY)",
    ]

    private static let indexes = [
        "CREATE INDEX IF NOT EXISTS \(entry)_used ON \(entry) (used)",
        "CREATE INDEX IF NOT EXISTS \(entry)_partition ON \(entry) (partition) WHERE partition <> ''",
    ]
}
