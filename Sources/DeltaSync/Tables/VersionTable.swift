package import StoreCore

/// Access to the table `patchbay_delta`, which stores the version and binding of each synchronized table.
struct VersionTable: Sendable {
    /// Stored state of one table.
    struct Entry: Hashable, Sendable {
        /// The version of its rows; for a shadow table its last page, nil before the first.
        var version: String?
        /// ``DeltaBinding/text`` of the rows.
        var binding: String
        /// ``TableSignature/text`` of the schema that the rows were loaded with.
        var schema: String
        /// The generation of the store in which the entry was written.
        var generation: String
        /// ID of the call that fills a shadow table.
        var owner: String?
    }

    static var table: SQLIdentifier { SQLIdentifier(SQLIdentifier.reservedPrefix + "delta") }
    private static var columns: [SQLIdentifier] { ["name", "version", "binding", "schema", "generation", "owner"] }
    /// Name of the entry that holds the generation as its version; no table can have it.
    static var generationName: SQLIdentifier { "" }

    let store: any LocalStore

    /// Creates the table and a generation if they are missing.
    /// - Parameter newGeneration: returns a unique generation name.
    /// - Returns: the current generation.
    func open(newGeneration: () -> String) throws -> String {
        if try store.schema(of: Self.table) == nil {
            let columns = Self.columns.map { TableSchema.Column($0, "TEXT") }
            try store.createTable(TableSchema(Self.table, columns: columns, primaryKey: ["name"]))
        }
        if let generation = try entry(of: Self.generationName)?.version { return generation }
        return try beginGeneration(newGeneration())
    }

    /// Invalidates all entries.
    @discardableResult
    func beginGeneration(_ name: String) throws -> String {
        try put(Entry(version: name, binding: "", schema: "", generation: ""), for: Self.generationName)
        return name
    }

    func entry(of name: SQLIdentifier) throws -> Entry? { try entries(of: [name])[name] }

    /// The version of a table's rows; nil if they are not valid in the current generation.
    func version(of name: SQLIdentifier) throws -> String? {
        let entries = try entries(of: [name, Self.generationName])
        guard let entry = entries[name], entry.generation == entries[Self.generationName]?.version else { return nil }
        return entry.version
    }

    /// Returns the entries of some names; empty when the table does not exist.
    func entries(of names: some Collection<SQLIdentifier>) throws -> [SQLIdentifier: Entry] {
        let places = names.map { _ in "?" }.joined(separator: ", ")
        var entries: [SQLIdentifier: Entry] = [:]
        do {
            try store.query(Self.query + " WHERE name IN (\(places))", names.map { .text(Self.key(of: $0)) }) { row in
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

    /// The name with ASCII letters in lower case, since identifiers ignore case.
    private static func key(of name: SQLIdentifier) -> String {
        String(decoding: name.text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension LocalStore {
    /// True when rows were loaded into a table, and it still has their columns.
    ///
    /// False for a table that only has the name of one that was loaded, such as an app's own.
    package func hasLoadedRows(_ table: TableSchema) throws -> Bool {
        guard let entry = try VersionTable(store: self).entry(of: table.name) else { return false }
        return TableSignature(text: entry.schema)?.isContained(in: table) ?? true
    }

    /// Drops a table, with its version and what an unfinished full load has left. A missing table is no error.
    ///
    /// Call it inside a schema transaction, since foreign keys of other tables may refer to it.
    package func dropSynchronizedTable(_ table: SQLIdentifier) throws {
        let hasVersions = try schema(of: VersionTable.table) != nil
        for name in [table, table.shadow] {
            try execute("DROP TABLE IF EXISTS \(name.quoted)", [])
            if hasVersions { try VersionTable(store: self).remove(name) }
        }
    }
}

extension VersionTable.Entry {
    /// - Parameter row: a row of ``VersionTable/query``.
    fileprivate init(_ row: borrowing StoreRow) {
        version = row.text(at: 0)
        binding = row.text(at: 1) ?? ""
        schema = row.text(at: 2) ?? ""
        generation = row.text(at: 3) ?? ""
        owner = row.text(at: 4)
    }
}
