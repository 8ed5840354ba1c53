import StoreCore

/// The tables `patchbay_edited_rows` and `patchbay_edits`: rows with edits, and their edits.
///
/// All methods are called within a transaction or a read of the store. Cells are ``ColumnValues/text``.
///
/// | column | content |
/// |---|---|
/// | `tableName`, `rowKey` | the row; its table in lower case |
/// | `binding` | ``DeltaBinding/text`` of the rows that the edits belong to; null before the first full load |
/// | `server` | the server's row; null if it has none |
/// | `id` | what settles the edit, such as the entry of an outbox |
/// | `cells`, `changed`, `base` | see ``EditedRow/Edit`` |
/// | `isSent`, `version` | whether the request was sent, and the version of the table then |
struct EditTables: Sendable {
    static let rows = SQLIdentifier(SQLIdentifier.reservedPrefix + "edited_rows")
    static let edits = SQLIdentifier(SQLIdentifier.reservedPrefix + "edits")

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
                binding TEXT, server TEXT)
                """)
            try store.execute(
                """
                CREATE TABLE \(Self.edits) (number INTEGER PRIMARY KEY, row INTEGER NOT NULL, id TEXT NOT NULL,
                isDeletion INTEGER NOT NULL, cells TEXT NOT NULL, changed TEXT NOT NULL, base TEXT NOT NULL,
                versionColumn TEXT, isSent INTEGER NOT NULL, version TEXT)
                """)
            for index in [
                "_table ON \(Self.rows.quoted) (tableName, rowKey)", "_row ON \(Self.edits.quoted) (row)",
                "_id ON \(Self.edits.quoted) (id)",
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
        try rows("WHERE tableName = ? AND rowKey = ?", [.text(Self.name(table)), .text(key.text)])
            .first { $0.binding == nil || $0.binding == binding }
    }

    /// The rows of a table with edits that belong to rows of a binding.
    func rows(of table: SQLIdentifier, binding: String?) throws -> [EditedRow] {
        try rows("WHERE tableName = ?", [.text(Self.name(table))])
            .filter { $0.binding == nil || $0.binding == binding }
    }

    /// The keys of such rows, as text, with the rows' numbers.
    func keys(of table: SQLIdentifier, binding: String) throws -> [String: Int64] {
        var keys: [String: Int64] = [:]
        try store.query(
            "SELECT rowKey, number FROM \(Self.rows.quoted) WHERE tableName = ? AND (binding IS NULL OR binding = ?)",
            [.text(Self.name(table)), .text(binding)]
        ) { row in
            if let key = row.text(at: 0), let number = row.int64(at: 1) { keys[key] = number }
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

    /// The rows with an edit of this ID, in the order of those edits.
    func rows(withEdit id: String) throws -> [EditedRow] {
        let found = try store.rows("SELECT row FROM \(Self.edits.quoted) WHERE id = ? ORDER BY number", [.text(id)])
        var numbers: [[StoreValue]] = []
        for number in found where !numbers.contains(number) { numbers.append(number) }
        return try numbers.flatMap { try rows("WHERE number = ?", $0) }
    }

    /// The numbers of the rows with an edit that was sent.
    func rowsWithSentEdits() throws -> [Int64] {
        try store.rows("SELECT DISTINCT row FROM \(Self.edits.quoted) WHERE isSent = 1", []).compactMap {
            if case .integer(let number)? = $0.first { number } else { nil }
        }
    }

    func row(_ number: Int64) throws -> EditedRow? { try rows("WHERE number = ?", [.integer(number)]).first }

    func allRows() throws -> [EditedRow] { try rows("", []) }

    private func rows(_ condition: String, _ parameters: [StoreValue]) throws -> [EditedRow] {
        var rows: [EditedRow] = []
        try store.query(
            "SELECT number, tableName, rowKey, binding, server FROM \(Self.rows.quoted) \(condition) ORDER BY number",
            parameters
        ) { row in
            rows.append(
                EditedRow(
                    number: row.int64(at: 0) ?? 0, table: SQLIdentifier(row.text(at: 1) ?? ""),
                    key: ColumnValues(text: row.text(at: 2) ?? "") ?? [:], binding: row.text(at: 3),
                    server: row.text(at: 4).flatMap { ColumnValues(text: $0) }, edits: []))
            return true
        }
        for index in rows.indices { rows[index].edits = try edits(ofRow: rows[index].number) }
        return rows
    }

    private func edits(ofRow number: Int64) throws -> [EditedRow.Edit] {
        var edits: [EditedRow.Edit] = []
        try store.query(
            """
            SELECT number, id, isDeletion, cells, changed, base, versionColumn, isSent, version \
            FROM \(Self.edits.quoted) WHERE row = ? ORDER BY number
            """, [.integer(number)]
        ) { row in
            edits.append(
                EditedRow.Edit(
                    number: row.int64(at: 0) ?? 0, id: row.text(at: 1) ?? "", isDeletion: row.int64(at: 2) == 1,
                    row: ColumnValues(text: row.text(at: 3) ?? "") ?? [:],
                    changed: Set((LengthPrefixedList.elements(row.text(at: 4) ?? "") ?? []).map { SQLIdentifier($0) }),
                    base: ColumnValues(text: row.text(at: 5) ?? "") ?? [:],
                    versionColumn: row.text(at: 6).map { SQLIdentifier($0) }, isSent: row.int64(at: 7) == 1,
                    version: row.text(at: 8)))
            return true
        }
        return edits
    }

    // MARK: Writing

    /// Adds a row without edits.
    /// - Returns: the row with its number.
    func insert(_ row: EditedRow) throws -> EditedRow {
        var row = row
        try store.execute(
            "INSERT INTO \(Self.rows.quoted) (tableName, rowKey, binding, server) VALUES (?, ?, ?, ?)",
            [.text(Self.name(row.table)), .text(row.key.text), Self.value(row.binding), Self.value(row.server?.text)])
        row.number = try lastNumber()
        return row
    }

    /// Adds an edit to a row.
    func insert(_ edit: EditedRow.Edit, to row: EditedRow) throws {
        try store.execute(
            """
            INSERT INTO \(Self.edits.quoted) \
            (row, id, isDeletion, cells, changed, base, versionColumn, isSent, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, [.integer(row.number)] + Self.values(of: edit))
    }

    /// Stores a row with its edits; a row without any is removed.
    func put(_ row: EditedRow, replacing old: EditedRow) throws {
        for edit in old.edits where !row.edits.contains(where: { $0.number == edit.number }) {
            try store.execute("DELETE FROM \(Self.edits.quoted) WHERE number = ?", [.integer(edit.number)])
        }
        guard !row.edits.isEmpty else {
            try store.execute("DELETE FROM \(Self.rows.quoted) WHERE number = ?", [.integer(row.number)])
            return
        }
        for edit in row.edits where !old.edits.contains(edit) {
            try store.execute(
                """
                UPDATE \(Self.edits.quoted) SET id = ?, isDeletion = ?, cells = ?, changed = ?, base = ?, \
                versionColumn = ?, isSent = ?, version = ? WHERE number = ?
                """, Self.values(of: edit) + [.integer(edit.number)])
        }
        guard row.server != old.server || row.binding != old.binding else { return }
        try store.execute(
            "UPDATE \(Self.rows.quoted) SET binding = ?, server = ? WHERE number = ?",
            [Self.value(row.binding), Self.value(row.server?.text), .integer(row.number)])
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
            value(edit.versionColumn?.text), .integer(edit.isSent ? 1 : 0), value(edit.version),
        ]
    }

    private static func value(_ text: String?) -> StoreValue { text.map { .text($0) } ?? .null }

    private static func name(_ table: SQLIdentifier) -> String { table.text.asciiLowercased }
}
