import Foundation
import StoreCore

/// The table `patchbay_outbox` of entries. All methods are called within a transaction or a read of the store.
///
/// | column | content |
/// |---|---|
/// | `number` | the order of the entries of a key |
/// | `phase` | ``EntryRow/Phase``; the first entry of a key is not `blocked`, all others are |
/// | `sender`, `attempts`, `doubt`, `due` | see ``EntryRow`` |
/// | times | milliseconds of the wall clock since 1970 |
struct EntryTable: Sendable {
    static let name = SQLIdentifier(SQLIdentifier.reservedPrefix + "outbox")
    private static let from = "FROM \(name.quoted)"

    let store: any LocalStore

    /// Creates the table, with its indexes where the store has any.
    func create() throws {
        try store.execute(
            """
            CREATE TABLE \(Self.name) (number INTEGER PRIMARY KEY, idempotencyKey TEXT NOT NULL, userName TEXT NOT NULL,
            entryKey TEXT, name TEXT NOT NULL, phase INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER,
            due INTEGER, attempts INTEGER NOT NULL, doubt INTEGER NOT NULL, sender TEXT, failure TEXT, failureText TEXT,
            failureStatus INTEGER, failureBody BLOB, method TEXT NOT NULL, url TEXT NOT NULL, origin TEXT NOT NULL,
            fields TEXT NOT NULL, priority INTEGER NOT NULL, file TEXT, fileStart INTEGER, fileEnd INTEGER,
            isOwned INTEGER, body BLOB, resolutions INTEGER)
            """)
        for index in [
            "_ready ON \(Self.name.quoted) (userName, phase, priority DESC, number)",
            "_key ON \(Self.name.quoted) (userName, entryKey, number) WHERE entryKey IS NOT NULL",
            "_sender ON \(Self.name.quoted) (sender) WHERE sender IS NOT NULL",
        ] {
            // A store without indexes, such as MemoryStore, is searched.
            do {
                try store.transaction { _ = try store.execute("CREATE INDEX \(Self.name.text)\(index)", []) }
            } catch let error as StoreError where error.code == .unsupportedSQL {}
        }
    }

    /// False for a table that an earlier version has created.
    var isCurrent: Bool { get throws { try store.schema(of: Self.name)?.index(of: "resolutions") != nil } }

    /// Adds what earlier versions did not have.
    func update() throws {
        guard try !isCurrent else { return }
        try store.execute("ALTER TABLE \(Self.name.quoted) ADD COLUMN resolutions INTEGER", [])
    }

    // MARK: Reading

    /// The entry with this identity; nil once it is gone.
    func row(_ id: OutboxEntry.ID, hasBody: Bool = true) throws -> EntryRow? {
        try rows(
            "WHERE number = ? AND idempotencyKey = ?", [.integer(id.number), .text(id.idempotencyKey)], hasBody: hasBody
        ).first
    }

    /// The identities of all entries of a user.
    func ids(of user: String) throws -> [OutboxEntry.ID] {
        try rows("WHERE userName = ?", [.text(user)]).map(\.id)
    }

    /// The last entry of a key; nil without one.
    func last(of key: String, user: String) throws -> EntryRow? {
        try rows("WHERE userName = ? AND entryKey = ? ORDER BY number DESC LIMIT 1", [.text(user), .text(key)]).first
    }

    /// True if a key has an entry.
    func contains(_ key: String, user: String) throws -> Bool {
        let sql = "SELECT number \(Self.from) WHERE userName = ? AND entryKey = ? LIMIT 1"
        return try number(sql, [.text(user), .text(key)]) != nil
    }

    /// The entries of users that may be sent, without those for some origins.
    ///
    /// Those with a higher priority first, with their bodies.
    func ready(of users: [String], without origins: Set<String>, limit: Int) throws -> [EntryRow] {
        let others = origins.isEmpty ? "" : "AND origin NOT IN (\(origins.map { _ in "?" }.joined(separator: ", "))) "
        return try users.flatMap { user in
            try rows(
                "WHERE userName = ? AND phase = ? \(others)ORDER BY priority DESC, number LIMIT ?",
                [.text(user), .integer(EntryRow.Phase.ready.rawValue)] + origins.map { .text($0) }
                    + [.integer(Int64(limit))], hasBody: true)
        }
    }

    /// The entries of users that have failed or are damaged, in their order, without their bodies.
    func failedRows(of users: [String]) throws -> [EntryRow] {
        try users.flatMap { user in
            try rows("WHERE userName = ? AND phase NOT IN (0, 1, 2, 4) ORDER BY number", [.text(user)])
        }
        .sorted { $0.number < $1.number }
    }

    /// The entries of users that have not failed, in their order, without their bodies.
    ///
    /// One query for each user: an entry whose phase changes meanwhile is in it once.
    func unfailedRows(of users: [String], limit: Int) throws -> [EntryRow] {
        let found = try users.flatMap { user in
            try rows(
                "WHERE userName = ? AND phase IN (0, 1, 2, 4) ORDER BY number LIMIT ?",
                [.text(user), .integer(Int64(limit))])
        }
        return Array(found.sorted { $0.number < $1.number }.prefix(limit))
    }

    /// The number of entries of users in each phase.
    static func counts(of users: [String], in reader: borrowing StoreReader) throws -> [EntryRow.Phase: Int] {
        var counts: [EntryRow.Phase: Int] = [:]
        for user in users {
            try reader.query("SELECT phase, count(*) \(from) WHERE userName = ? GROUP BY phase", [.text(user)]) { row in
                let phase = row.int64(at: 0).flatMap(EntryRow.Phase.init) ?? .failed
                counts[phase, default: 0] += Int(row.int64(at: 1) ?? 0)
                return true
            }
        }
        return counts
    }

    /// The number of entries of users behind a failed or damaged one of their key.
    static func countBehindFailed(of users: [String], in reader: borrowing StoreReader) throws -> Int {
        var count = 0
        for user in users {
            var keys: Set<String> = []
            let sql = "SELECT entryKey \(from) WHERE userName = ? AND phase NOT IN (0, 1, 2, 4)"
            try reader.query(sql, [.text(user)]) { row in
                if let key = row.text(at: 0) { keys.insert(key) }
                return true
            }
            var rest = Array(keys)[...]
            while !rest.isEmpty {
                // Far below the number of parameters that a statement may have.
                let some = rest.prefix(500)
                rest = rest.dropFirst(500)
                let list = some.map { _ in "?" }.joined(separator: ", ")
                try reader.query(
                    "SELECT count(*) \(from) WHERE userName = ? AND entryKey IN (\(list)) AND phase = ?",
                    [.text(user)] + some.map { .text($0) } + [.integer(EntryRow.Phase.blocked.rawValue)]
                ) { row in
                    count += Int(row.int64(at: 0) ?? 0)
                    return false
                }
            }
        }
        return count
    }

    /// True if a user has a failed entry.
    func hasFailed(_ user: String) throws -> Bool {
        let sql = "SELECT number \(Self.from) WHERE userName = ? AND phase = ? LIMIT 1"
        return try number(sql, [.text(user), .integer(EntryRow.Phase.failed.rawValue)]) != nil
    }

    /// The earliest time at which a delayed entry of a user is sent again.
    func nextDue(_ user: String) throws -> Int64? {
        let sql = "SELECT min(due) \(Self.from) WHERE userName = ? AND phase = ?"
        return try number(sql, [.text(user), .integer(EntryRow.Phase.delayed.rawValue)])
    }

    /// The stored paths of all bodies that are files.
    func paths() throws -> Set<String> {
        var paths: Set<String> = []
        try store.query("SELECT file \(Self.from) WHERE file IS NOT NULL", []) { row in
            if let path = row.text(at: 0) { paths.insert(path) }
            return true
        }
        return paths
    }

    /// The stored paths of the copied bodies of a user.
    func copies(of user: String) throws -> Set<String> {
        var paths: Set<String> = []
        try store.query("SELECT file \(Self.from) WHERE isOwned = 1 AND userName = ?", [.text(user)]) { row in
            if let path = row.text(at: 0) { paths.insert(path) }
            return true
        }
        return paths
    }

    func rows(_ condition: String, _ parameters: [StoreValue], hasBody: Bool = false) throws -> [EntryRow] {
        var rows: [EntryRow] = []
        let columns = Self.columns + (hasBody ? ", body" : "")
        try store.query("SELECT \(columns) \(Self.from) \(condition)", parameters) { row in
            rows.append(Self.row(row, hasBody: hasBody))
            return true
        }
        return rows
    }

    private func number(_ sql: String, _ parameters: [StoreValue]) throws -> Int64? {
        var number: Int64?
        try store.query(sql, parameters) { row in
            number = row.int64(at: 0)
            return false
        }
        return number
    }

    // MARK: Writing

    private static let insertion =
        "INSERT INTO \(name.quoted) (number, \(columns.dropFirst("number, ".count)), body) VALUES (NULL, "
        + Array(repeating: "?", count: 26).joined(separator: ", ") + ")"

    /// Adds an entry.
    /// - Returns: its number.
    func insert(_ row: EntryRow) throws -> Int64 {
        try store.execute(Self.insertion, Self.values(of: row))
        guard let number = try number("SELECT last_insert_rowid()", []) else {
            throw StoreError(.failed, "The store returned no rowid for a new row.")
        }
        return number
    }

    private static let replacement =
        "UPDATE \(name.quoted) SET "
        + (columns.dropFirst("number, ".count) + ", body").split(separator: ", ").map { "\($0) = ?" }
        .joined(separator: ", ") + " WHERE number = ?"

    /// Replaces an entry that has the same number.
    func replace(_ row: EntryRow) throws {
        try store.execute(Self.replacement, Self.values(of: row) + [.integer(row.number)])
    }

    private static let update = """
        UPDATE \(name.quoted) SET phase = ?, due = ?, attempts = ?, doubt = ?, sender = ?, failure = ?, failureText = ?, \
        failureStatus = ?, failureBody = ? WHERE number = ?
        """

    /// Stores what an attempt has changed.
    func updateProgress(_ row: EntryRow) throws {
        let values = Self.values(of: row)
        try store.execute(
            Self.update, [values[4]] + values[7...14] + [.integer(row.number)])
    }

    /// Stores the expiry.
    func updateExpiry(_ row: EntryRow) throws {
        try store.execute(
            "UPDATE \(Self.name.quoted) SET expires = ? WHERE number = ?",
            [row.expires.map { .integer($0) } ?? .null, .integer(row.number)])
    }

    /// Makes the delayed entries of a user ready whose time has come.
    ///
    /// - Parameter far: those with a later time are made ready too.
    func releaseDue(_ user: String, now: Int64, farFrom far: Int64) throws {
        let values = [EntryRow.Phase.ready.rawValue, EntryRow.Phase.delayed.rawValue].map { StoreValue.integer($0) }
        try store.execute(
            "UPDATE \(Self.name.quoted) SET phase = ?, due = NULL WHERE userName = ? AND phase = ? AND (due <= ? OR due > ?)",
            [values[0], .text(user), values[1], .integer(now), .integer(far)])
    }

    /// Returns the entries of other senders, which have ended, to those that are ready.
    func releaseOthers(than sender: String) throws {
        try store.execute(
            "UPDATE \(Self.name.quoted) SET phase = ?, doubt = ?, sender = NULL WHERE sender IS NOT NULL AND sender <> ?",
            [.integer(EntryRow.Phase.ready.rawValue), .integer(EntryRow.doubt), .text(sender)])
    }

    /// Removes an entry, and makes the next one of its key ready if it was the first.
    func remove(_ row: EntryRow) throws {
        try store.execute("DELETE \(Self.from) WHERE number = ?", [.integer(row.number)])
        guard let key = row.key, row.phase != .blocked else { return }
        let next = try number(
            "SELECT number \(Self.from) WHERE userName = ? AND entryKey = ? ORDER BY number LIMIT 1",
            [.text(row.user), .text(key)])
        guard let next else { return }
        try store.execute(
            "UPDATE \(Self.name.quoted) SET phase = ? WHERE number = ? AND phase = ?",
            [
                .integer(EntryRow.Phase.ready.rawValue), .integer(next), .integer(EntryRow.Phase.blocked.rawValue),
            ])
    }

    /// Removes all entries of a user.
    func removeAll(of user: String) throws {
        try store.execute("DELETE \(Self.from) WHERE userName = ?", [.text(user)])
    }
}
