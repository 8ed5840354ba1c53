import StoreCore

/// The tables `patchbay_edited_rows` and `patchbay_edits`: rows with edits, and their edits.
///
/// All methods are called within a transaction or a read of the store. Cells are ``ColumnValues/text``.
///
/// | column | content |
/// |---|---|
/// | `tableName`, `rowKey` | the row; its table in lower case |
/// | `binding` | ``DeltaBinding/text`` of the rows that the edits belong to; null before the first full load |
/// | `userName` | the user of the edits; empty for no user. A row with edits of several users is stored for each |
/// | `server` | the server's row in the stored version; null if it has none |
/// | `id` | what settles the edit, such as the entry of an outbox; a row has one waiting edit of an ID |
/// | `position` | the place among the edits of an ID; the row of the first one is that of the request |
/// | `cells`, `changed`, `base` | see ``EditedRow/Edit`` |
/// | `sent`, `version` | the number of the send, null for a waiting edit; the version of the table then |
///
/// A received row is an edit that was sent, with an empty ID.
/// The table `patchbay_edit_count` has the number of the last send, or of the last received row.
struct EditTables: Sendable {
    static let rows = SQLIdentifier(SQLIdentifier.reservedPrefix + "edited_rows")
    static let edits = SQLIdentifier(SQLIdentifier.reservedPrefix + "edits")
    private static let counter = SQLIdentifier(SQLIdentifier.reservedPrefix + "edit_count")

    let store: any LocalStore

    /// True if the store has the tables.
    var exist: Bool { get throws { try store.schema(of: Self.edits) != nil } }

    /// Creates the tables if they are missing, with their indexes where the store has any.
    func create() throws {
        guard try !exist else { return }
        try store.transaction {
            guard try !exist else { return }
            try store.execute(
                """
                CREATE TABLE \(Self.rows) (number INTEGER PRIMARY KEY, tableName TEXT NOT NULL, rowKey TEXT NOT NULL,
                binding TEXT, userName TEXT NOT NULL, server TEXT)
                """)
            try store.execute(
                """
                CREATE TABLE \(Self.edits) (number INTEGER PRIMARY KEY, row INTEGER NOT NULL, id TEXT NOT NULL,
                position INTEGER NOT NULL, isDeletion INTEGER NOT NULL, cells TEXT NOT NULL, changed TEXT NOT NULL,
                base TEXT NOT NULL, versionColumn TEXT, sent INTEGER, version TEXT)
                """)
            try store.execute("CREATE TABLE \(Self.counter) (sent INTEGER NOT NULL)")
            try store.execute("INSERT INTO \(Self.counter) VALUES (0)")
            for index in [
                "_table ON \(Self.rows.quoted) (tableName, rowKey)", "_row ON \(Self.edits.quoted) (row)",
                "_id ON \(Self.edits.quoted) (id)", "_sent ON \(Self.edits.quoted) (sent)",
            ] {
                // A store without indexes, such as MemoryStore, is searched.
                do {
                    try store.transaction { _ = try store.execute("CREATE INDEX \(Self.edits.text)\(index)", []) }
                } catch let error as StoreError where error.code == .unsupportedSQL {}
            }
        }
    }

    // MARK: Reading

    /// The row with a key, if it has edits that belong to rows of a binding.
    func row(_ table: SQLIdentifier, key: ColumnValues, binding: String?) throws -> EditedRow? {
        try row(table, key) { $0.belongs(to: binding) }
    }

    /// The row that a stored row is a part of: with the others that its table shows together with this one.
    func row(_ number: Int64) throws -> EditedRow? {
        guard let part = try rows("WHERE number = ?", [.integer(number)]).first else { return nil }
        let binding = try VersionTable(store: store).entry(of: part.table)?.binding
        if part.belongs(to: binding) { return try row(part.table, key: part.key, binding: binding) }
        return try row(part.table, part.key) {
            $0.binding == part.binding && (part.binding != nil || $0.user == part.user)
        }
    }

    private func row(
        _ table: SQLIdentifier, _ key: ColumnValues, where isIncluded: (EditedRow) -> Bool
    ) throws -> EditedRow? {
        try rows(
            "WHERE tableName = ? AND rowKey = ?", [.text(Self.name(table)), .text(key.text)], where: isIncluded
        ).first
    }

    /// The rows of a table with edits that belong to rows of a binding.
    func rows(of table: SQLIdentifier, binding: String?) throws -> [EditedRow] {
        try rows("WHERE tableName = ?", [.text(Self.name(table))]) { $0.belongs(to: binding) }
    }

    /// The keys of such rows, as text, with the numbers of the stored rows: one for each user.
    func keys(of table: SQLIdentifier, binding: String) throws -> [String: [Int64]] {
        var keys: [String: [Int64]] = [:]
        try store.query(
            "SELECT rowKey, number, binding, userName FROM \(Self.rows.quoted) WHERE tableName = ?",
            [.text(Self.name(table))]
        ) { row in
            if let key = row.text(at: 0), let number = row.int64(at: 1),
                DeltaBinding.has(binding, editsOf: row.text(at: 3) ?? "", madeIn: row.text(at: 2))
            {
                keys[key, default: []].append(number)
            }
            return true
        }
        return keys
    }

    /// True if a table has rows with edits, of any binding.
    func hasRows(of table: SQLIdentifier) throws -> Bool {
        try !store.rows(
            "SELECT number FROM \(Self.rows.quoted) WHERE tableName = ? LIMIT 1", [.text(Self.name(table))]
        ).isEmpty
    }

    /// The numbers of the stored rows with a waiting edit of this ID, in the order of those edits.
    func numbers(withEdit id: String) throws -> [Int64] {
        try numbers("id = ? AND sent IS NULL ORDER BY position", [.text(id)])
    }

    /// The rows with a waiting edit of this ID, in the order of those edits.
    func rows(withEdit id: String) throws -> [EditedRow] {
        var known: Set<Int64> = []
        return try numbers(withEdit: id).compactMap { try row($0) }.filter { known.insert($0.number).inserted }
    }

    /// The numbers of the stored rows with an edit that was sent.
    func rowsWithSentEdits() throws -> Set<Int64> { Set(try numbers("sent > 0", [])) }

    private func numbers(_ condition: String, _ parameters: [StoreValue]) throws -> [Int64] {
        try integers("SELECT row FROM \(Self.edits.quoted) WHERE \(condition)", parameters)
    }

    /// The numbers of the stored rows of a user.
    func numbers(ofUser user: String) throws -> [Int64] {
        try integers("SELECT number FROM \(Self.rows.quoted) WHERE userName = ?", [.text(user)])
    }

    private func integers(_ sql: String, _ parameters: [StoreValue]) throws -> [Int64] {
        try store.rows(sql, parameters)
            .compactMap { if case .integer(let number)? = $0.first { number } else { nil } }
    }

    /// The number of sends so far.
    var sentCount: Int64 {
        get throws {
            guard try exist else { return 0 }
            guard case .integer(let count)? = try store.rows("SELECT sent FROM \(Self.counter.quoted)", []).first?.first
            else { return 0 }
            return count
        }
    }

    /// Counts a send.
    /// - Returns: its number.
    func countSend() throws -> Int64 {
        let number = try sentCount + 1
        try store.execute("UPDATE \(Self.counter.quoted) SET sent = ?", [.integer(number)])
        return number
    }

    /// The rows of all tables, of those stored rows that are included.
    func allRows(where isIncluded: (EditedRow) throws -> Bool) throws -> [EditedRow] {
        try rows("", [], where: isIncluded)
    }

    private func rows(
        _ condition: String, _ parameters: [StoreValue], where isIncluded: (EditedRow) throws -> Bool = { _ in true }
    ) throws -> [EditedRow] {
        var rows: [EditedRow] = []
        try store.query(
            "SELECT number, tableName, rowKey, binding, server, userName FROM \(Self.rows.quoted) \(condition) ORDER BY number",
            parameters
        ) { row in
            rows.append(
                EditedRow(
                    number: row.int64(at: 0) ?? 0, table: SQLIdentifier(row.text(at: 1) ?? ""),
                    key: ColumnValues(text: row.text(at: 2) ?? "") ?? [:], binding: row.text(at: 3),
                    user: row.text(at: 5) ?? "", server: row.text(at: 4).flatMap { ColumnValues(text: $0) }, edits: []))
            return true
        }
        var (joined, places): ([EditedRow], [RowIdentity: Int]) = ([], [:])
        for part in try rows.filter(isIncluded) {
            let edits = try edits(of: part)
            let place = places[part.identity, default: joined.count]
            if place == joined.count {
                places[part.identity] = place
                joined.append(part)
            }
            joined[place].add(edits)
        }
        return joined
    }

    private func edits(of part: EditedRow) throws -> [EditedRow.Edit] {
        var edits: [EditedRow.Edit] = []
        try store.query(
            """
            SELECT number, id, isDeletion, cells, changed, base, versionColumn, sent, version, position \
            FROM \(Self.edits.quoted) WHERE row = ?
            """, [.integer(part.number)]
        ) { row in
            edits.append(
                EditedRow.Edit(
                    number: row.int64(at: 0) ?? 0, storedRow: part.number, user: part.user, id: row.text(at: 1) ?? "",
                    isDeletion: row.int64(at: 2) == 1,
                    row: ColumnValues(text: row.text(at: 3) ?? "") ?? [:],
                    changed: Set((LengthPrefixedList.elements(row.text(at: 4) ?? "") ?? []).map { SQLIdentifier($0) }),
                    base: ColumnValues(text: row.text(at: 5) ?? "") ?? [:],
                    versionColumn: row.text(at: 6).map { SQLIdentifier($0) }, sent: row.int64(at: 7),
                    version: row.text(at: 8), position: row.int64(at: 9) ?? 0))
            return true
        }
        return edits
    }

    // MARK: Writing

    /// Stores a row for a user, without edits.
    /// - Returns: its number.
    private func insert(_ row: EditedRow, for user: String) throws -> Int64 {
        try store.execute(
            "INSERT INTO \(Self.rows.quoted) (tableName, rowKey, binding, userName, server) VALUES (?, ?, ?, ?, ?)",
            [
                .text(Self.name(row.table)), .text(row.key.text), Self.value(row.binding), .text(user),
                Self.value(row.server?.text),
            ])
        return try lastNumber()
    }

    /// Adds an edit to a row, which may be a new one. A waiting one of the same ID and user becomes part of it.
    func insert(_ edit: EditedRow.Edit, to row: EditedRow) throws {
        var edit = edit
        let ofUser = row.edits.filter { $0.user == edit.user }
        if let earlier = ofUser.first(where: { $0.id == edit.id && !$0.isSent }) {
            edit.follow(earlier)
            try store.execute("DELETE FROM \(Self.edits.quoted) WHERE number = ?", [.integer(earlier.number)])
        } else {
            let last = try store.rows("SELECT max(position) FROM \(Self.edits.quoted) WHERE id = ?", [.text(edit.id)])
            if case .integer(let position)? = last.first?.first { edit.position = position + 1 }
        }
        edit.storedRow = try ofUser.first?.storedRow ?? insert(row, for: edit.user)
        try insert(edit)
    }

    private func insert(_ edit: EditedRow.Edit) throws {
        try store.execute(
            """
            INSERT INTO \(Self.edits.quoted) (row, id, isDeletion, cells, changed, base, versionColumn, sent, version, \
            position) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, [.integer(edit.storedRow)] + Self.values(of: edit))
    }

    /// Stores a row with its edits; a row without any is removed.
    func put(_ row: EditedRow, replacing old: EditedRow) throws {
        for edit in old.edits where !row.edits.contains(where: { $0.number == edit.number }) {
            try store.execute("DELETE FROM \(Self.edits.quoted) WHERE number = ?", [.integer(edit.number)])
        }
        let (stored, kept) = (Set(old.edits.map(\.storedRow)), Set(row.edits.map(\.storedRow)))
        for number in stored.subtracting(kept) {
            try store.execute("DELETE FROM \(Self.rows.quoted) WHERE number = ?", [.integer(number)])
        }
        for edit in row.edits where !old.edits.contains(edit) {
            guard edit.number > 0 else {
                try insert(edit)
                continue
            }
            try store.execute(
                """
                UPDATE \(Self.edits.quoted) SET id = ?, isDeletion = ?, cells = ?, changed = ?, base = ?, \
                versionColumn = ?, sent = ?, version = ?, position = ? WHERE number = ?
                """, Self.values(of: edit) + [.integer(edit.number)])
        }
        guard stored.count > 1 || row.server != old.server || row.binding != old.binding || row.key != old.key
        else { return }
        for number in kept {
            try store.execute(
                "UPDATE \(Self.rows.quoted) SET rowKey = ?, binding = ?, server = ? WHERE number = ?",
                [.text(row.key.text), Self.value(row.binding), Self.value(row.server?.text), .integer(number)])
        }
    }

    private func lastNumber() throws -> Int64 {
        guard case .integer(let number)? = try store.rows("SELECT last_insert_rowid()", []).first?.first else {
            throw StoreError(.failed, "The store returned no rowid for a new row.")
        }
        return number
    }

    private static func values(of edit: EditedRow.Edit) -> [StoreValue] {
        [
            .text(edit.id), .integer(edit.isDeletion ? 1 : 0), .text(edit.row.text),
            .text(LengthPrefixedList.text(edit.changed.map(\.text).sorted())), .text(edit.base.text),
            value(edit.versionColumn?.text), edit.sent.map { .integer($0) } ?? .null, value(edit.version),
            .integer(edit.position),
        ]
    }

    private static func value(_ text: String?) -> StoreValue { text.map { .text($0) } ?? .null }

    private static func name(_ table: SQLIdentifier) -> String { table.text.asciiLowercased }
}
