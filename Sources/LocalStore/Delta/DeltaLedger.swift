/// The table in which a store keeps, beside the rows of others, which version those have and what they depend on.
struct DeltaLedger: Sendable {
    /// What is kept of a table.
    struct Entry: Hashable, Sendable {
        /// The version of its rows; of a table that is being loaded its last page; nil before there is any.
        var version: String?
        /// What the rows depend on; see ``DeltaBinding/text``.
        var binding: String
        /// See ``TableSchema/signature``.
        var schema: String
        /// The store's generation when the entry was made.
        var generation: String
        /// Who is loading the table.
        var owner: String?
    }

    static var table: SQLIdentifier { SQLIdentifier(SQLIdentifier.reservedPrefix + "delta") }
    private static var columns: [SQLIdentifier] { ["name", "version", "binding", "schema", "generation", "owner"] }
    /// The name of the entry whose version is the store's generation; no table has it.
    static var generationName: SQLIdentifier { "" }

    let store: any LocalStore

    /// Makes the table, and a generation, where they are missing.
    /// - Parameter newGeneration: gives the name of a generation that was never used.
    /// - Returns: the store's generation.
    func open(newGeneration: () -> String) throws -> String {
        if try store.schema(of: Self.table) == nil {
            let columns = Self.columns.map { TableSchema.Column($0, "TEXT") }
            try store.create(TableSchema(Self.table, columns: columns, primaryKey: ["name"]))
        }
        if let generation = try entry(of: Self.generationName)?.version { return generation }
        return try beginGeneration(newGeneration())
    }

    /// Makes every entry count for nothing.
    @discardableResult
    func beginGeneration(_ name: String) throws -> String {
        try put(Entry(version: name, binding: "", schema: "", generation: ""), for: Self.generationName)
        return name
    }

    func entry(of name: SQLIdentifier) throws -> Entry? {
        var entry: Entry?
        try store.query(Self.query + " WHERE name = ?", [.text(Self.key(of: name))]) { row in
            entry = Entry(row)
            return false
        }
        return entry
    }

    /// All entries, as they were at one moment; none when nothing was ever kept.
    func entries() throws -> [SQLIdentifier: Entry] {
        var entries: [SQLIdentifier: Entry] = [:]
        do {
            try store.query(Self.query) { row in
                entries[SQLIdentifier(row.text(at: 5) ?? "")] = Entry(row)
                return true
            }
        } catch let error as StoreError where error.code == .noSuchTable { return [:] }
        return entries
    }

    private static var query: String {
        "SELECT version, binding, schema, generation, owner, name FROM \(table.quoted)"
    }

    func put(_ entry: Entry, for name: SQLIdentifier) throws {
        func value(_ text: String?) -> StoreValue { text.map { .text($0) } ?? .null }
        var batch = try RowBatch(columns: Self.columns)
        try batch.append([
            .text(Self.key(of: name)), value(entry.version), .text(entry.binding), .text(entry.schema),
            .text(entry.generation), value(entry.owner),
        ])
        try store.upsert(batch, into: Self.table)
    }

    func remove(_ name: SQLIdentifier) throws {
        var batch = try RowBatch(columns: ["name"])
        try batch.append([.text(Self.key(of: name))])
        try store.delete(batch, from: Self.table)
    }

    /// Names differ in the case of letters and are the same.
    private static func key(of name: SQLIdentifier) -> String {
        String(decoding: name.text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension DeltaLedger.Entry {
    /// - Parameter row: the columns in the order in which the ledger asks for them.
    fileprivate init(_ row: borrowing StoreRow) {
        version = row.text(at: 0)
        binding = row.text(at: 1) ?? ""
        schema = row.text(at: 2) ?? ""
        generation = row.text(at: 3) ?? ""
        owner = row.text(at: 4)
    }
}
