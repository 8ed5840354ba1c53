import Foundation
import StoreCore

/// The table `patchbay_outbox` of entries. All methods are called within a transaction or a read of the store.
///
/// | column | content |
/// |---|---|
/// | `number` | the order of the entries of a key |
/// | `phase` | ``EntryRow/Phase``; of the admitted entries of a key the first is not `blocked`, all others are |
/// | `sender`, `attempts`, `doubt`, `due` | see ``EntryRow`` |
/// | times | milliseconds of the wall clock since 1970 |
///
/// A new entry is in no index, so that adding one writes one page. The sender admits new entries in their order, which
/// puts them into the indexes: those that it has not admitted are the last ones of the table.
struct EntryTable: Sendable {
    static let name = SQLIdentifier(SQLIdentifier.reservedPrefix + "outbox")
    static let from = "FROM \(name.quoted)"

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
        try createIndexes()
    }

    private func createIndexes() throws {
        for index in [
            "_ready ON \(Self.name.quoted) (userName, phase, priority DESC, number) WHERE \(Self.isAdmitted)",
            "_key ON \(Self.name.quoted) (userName, entryKey, number) WHERE entryKey IS NOT NULL AND \(Self.isAdmitted)",
        ] { try define("CREATE INDEX IF NOT EXISTS \(Self.name.text)\(index)") }
    }

    /// Runs a statement about an index, unless the store has none, such as `MemoryStore`: its tables are searched.
    private func define(_ sql: String) throws {
        do {
            try store.transaction { _ = try store.execute(sql, []) }
        } catch let error as StoreError where error.code == .unsupportedSQL {}
    }

    /// Changes the table of an earlier format: format 1 had all entries in its indexes, and at first no column
    /// `resolutions`; format 2 had another condition.
    func updateFromEarlierFormat() throws {
        if try store.schema(of: Self.name)?.index(of: "resolutions") == nil {
            try store.execute("ALTER TABLE \(Self.name.quoted) ADD COLUMN resolutions INTEGER", [])
        }
        for index in ["_ready", "_key", "_sender"] { try define("DROP INDEX IF EXISTS \(Self.name.text)\(index)") }
        try createIndexes()
    }

    /// The condition of the indexes, which a statement must repeat to use one of them.
    ///
    /// Not `phase >= 0`: with that range SQLite does not look for the phase itself.
    static let isAdmitted = "phase <> \(EntryRow.Phase.added.rawValue)"

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

    /// The last admitted entry of a key; nil without one.
    func last(of key: String, user: String) throws -> EntryRow? {
        try rows(
            "WHERE userName = ? AND entryKey = ? AND \(Self.isAdmitted) ORDER BY number DESC LIMIT 1",
            [.text(user), .text(key)]
        ).first
    }

    /// True if a key has an admitted entry before a number.
    func contains(_ key: String, user: String, before number: Int64) throws -> Bool {
        let sql =
            "SELECT number \(Self.from) WHERE userName = ? AND entryKey = ? AND number < ? AND \(Self.isAdmitted) LIMIT 1"
        return try self.number(sql, [.text(user), .text(key), .integer(number)]) != nil
    }

    /// The entries of users that may be sent, without those for some origins.
    ///
    /// Those with a higher priority first, with their bodies.
    /// - Parameter maximumBytes: ends the list of a user after bodies of that size in all, but not below `atLeast`.
    func ready(
        of users: [String], without origins: Set<String>, limit: Int, atLeast minimum: Int, maximumBytes: Int
    ) throws -> [EntryRow] {
        let others = origins.isEmpty ? "" : "AND origin NOT IN (\(origins.map { _ in "?" }.joined(separator: ", "))) "
        let condition =
            "WHERE userName = ? AND phase = ? AND \(Self.isAdmitted) \(others)ORDER BY priority DESC, number LIMIT ?"
        return try users.flatMap { user in
            var (count, bytes) = (0, 0)
            return try rows(
                condition,
                [.text(user), .integer(EntryRow.Phase.ready.rawValue)] + origins.map { .text($0) }
                    + [.integer(Int64(limit))], hasBody: true
            ) { row in
                count += 1
                if case .bytes(let body) = row.request.body { bytes += body.count }
                return count < minimum || bytes <= maximumBytes
            }
        }
    }

    /// The entries of users that have failed or are damaged, in their order, without their bodies.
    func failedRows(of users: [String]) throws -> [EntryRow] {
        try users.flatMap { user in
            try rows(
                "WHERE userName = ? AND \(Self.isAdmitted) AND phase NOT IN (0, 1, 2, 4) ORDER BY number", [.text(user)]
            )
        }
        .sorted { $0.number < $1.number }
    }

    /// The entries of users that have not failed, in their order, without their bodies.
    func unfailedRows(of users: [String], limit: Int) throws -> [EntryRow] {
        let places = users.map { _ in "?" }.joined(separator: ", ")
        return try rows(
            "WHERE userName IN (\(places)) AND phase IN (-1, 0, 1, 2, 4) ORDER BY number LIMIT ?",
            users.map { .text($0) } + [.integer(Int64(limit))])
    }

    /// True if a user has a failed entry.
    func hasFailed(_ user: String) throws -> Bool {
        let sql = "SELECT number \(Self.from) WHERE userName = ? AND phase = ? AND \(Self.isAdmitted) LIMIT 1"
        return try number(sql, [.text(user), .integer(EntryRow.Phase.failed.rawValue)]) != nil
    }

    /// The earliest time at which a delayed entry of a user is sent again.
    func nextDue(_ user: String) throws -> Int64? {
        let sql = "SELECT min(due) \(Self.from) WHERE userName = ? AND phase = ? AND \(Self.isAdmitted)"
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

    func rows(
        _ condition: String, _ parameters: [StoreValue], hasBody: Bool = false,
        while isWanted: (EntryRow) -> Bool = { _ in true }
    ) throws -> [EntryRow] {
        var rows: [EntryRow] = []
        let columns = Self.columns + (hasBody ? ", body" : "")
        try store.query("SELECT \(columns) \(Self.from) \(condition)", parameters) { row in
            let row = Self.row(row, hasBody: hasBody)
            rows.append(row)
            return isWanted(row)
        }
        return rows
    }

    func number(_ sql: String, _ parameters: [StoreValue]) throws -> Int64? {
        var number: Int64?
        try store.query(sql, parameters) { row in
            number = row.int64(at: 0)
            return false
        }
        return number
    }

    // MARK: Writing

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

    /// Stores that a sender sends an entry.
    func claim(_ row: EntryRow) throws {
        try store.execute(
            "UPDATE \(Self.name.quoted) SET phase = ?, sender = ?, attempts = ? WHERE number = ?",
            [
                .integer(row.phase.rawValue), row.sender.map { .text($0) } ?? .null, .integer(row.attempts),
                .integer(row.number),
            ])
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
            """
            UPDATE \(Self.name.quoted) SET phase = ?, due = NULL \
            WHERE userName = ? AND phase = ? AND \(Self.isAdmitted) AND (due <= ? OR due > ?)
            """,
            [values[0], .text(user), values[1], .integer(now), .integer(far)])
    }

    /// Returns the entries that are being sent to those that are ready, but for what a sender has in flight.
    func releaseSending(except inFlight: Set<OutboxEntry.ID>, of sender: String) throws {
        var user = try nextUser(after: nil)
        while let name = user {
            let sending = try rows(
                "WHERE userName = ? AND phase = ? AND \(Self.isAdmitted)",
                [.text(name), .integer(EntryRow.Phase.sending.rawValue)])
            for var row in sending where row.sender != sender || !inFlight.contains(row.id) {
                (row.phase, row.doubt, row.sender) = (.ready, EntryRow.doubt, nil)
                try updateProgress(row)
            }
            user = try nextUser(after: name)
        }
    }

    /// The first user with admitted entries, or the next one after another: each is one search of an index.
    private func nextUser(after user: String?) throws -> String? {
        var next: String?
        try store.query(
            """
            SELECT userName \(Self.from) WHERE \(Self.isAdmitted)\(user == nil ? "" : " AND userName > ?") \
            ORDER BY userName LIMIT 1
            """, user.map { [.text($0)] } ?? []
        ) { row in
            next = row.text(at: 0) ?? ""
            return false
        }
        return next
    }

    /// Removes an entry, and makes the next one of its key ready if it was the first.
    func remove(_ row: EntryRow) throws {
        try store.execute("DELETE \(Self.from) WHERE number = ?", [.integer(row.number)])
        guard let key = row.key, row.isFirst else { return }
        let next = try number(
            "SELECT number \(Self.from) WHERE userName = ? AND entryKey = ? AND \(Self.isAdmitted) ORDER BY number LIMIT 1",
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
