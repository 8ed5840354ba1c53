import DeltaSync
import StoreCore

/// Table of a database that lists the local tables of each resource.
///
/// With it they are found without the resource's schema.
struct TableRegister: Sendable {
    /// Local table of a resource.
    struct Entry: Hashable, Sendable {
        var name: SQLIdentifier
        var resource: String
        /// The name of the output table.
        var output: String
        /// ``TableNames/digest`` for a table of parameters; empty for one without.
        var digest: String
    }

    static var table: SQLIdentifier { SQLIdentifier(SQLIdentifier.reservedPrefix + "hyperhive_tables") }
    private static var columns: [SQLIdentifier] { ["name", "resource", "output", "digest"] }

    let store: any LocalStore

    /// Creates the missing tables of a target, and lists them. Then the next load is a full one.
    ///
    /// A table that exists already is used only if no rows of the app can be lost in it: see ``isReplaceable(_:_:)``.
    /// - Throws: `StoreError`; `tableExists` when one of them is listed as a table of another resource, since the names
    ///   of both are the same, regardless of letter case, and when one is a table of the app.
    func createTables(of target: ResourceTarget) throws(StoreError) {
        try rethrowingStoreErrors {
            guard try !isComplete(target) else { return }
            try store.transaction {
                if try store.schema(of: Self.table) == nil {
                    let columns = Self.columns.map { TableSchema.Column($0, "TEXT") }
                    try store.createTable(TableSchema(Self.table, columns: columns, primaryKey: ["name"]))
                }
                let known = Set(try entries(of: target.names).map(\.name))
                let others = try others(than: target)
                for table in target.tables {
                    let existing = try store.schema(of: table.schema.name)
                    if let other = others[table.schema.name] {
                        guard existing == nil else { throw Self.sameName(other, table, target.names) }
                        // The app has dropped the other's table.
                        try remove(other.name)
                    }
                    if let existing {
                        guard try isReplaceable(existing, table.schema) else {
                            throw Self.tableOfApp(existing.name, target.names)
                        }
                    } else {
                        // The app has dropped the table, but not its version.
                        try store.dropSynchronizedTable(table.schema.name)
                        try store.createTable(table.schema)
                    }
                    if !known.contains(table.schema.name) { try put(Entry(table, target.names)) }
                }
            }
        }
    }

    /// True when a load may replace an existing table, or a caller may drop it: its rows were loaded, it has none, or
    /// it has the columns and the key of the wanted table.
    private func isReplaceable(_ existing: TableSchema, _ wanted: TableSchema?) throws -> Bool {
        if let wanted, existing.columns == wanted.columns, existing.primaryKey == wanted.primaryKey { return true }
        if try store.hasLoadedRows(existing) { return true }
        var isEmpty = true
        try store.query("SELECT 1 FROM \(existing.name.quoted) LIMIT 1", []) { _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    private static func tableOfApp(_ table: SQLIdentifier, _ names: TableNames) -> StoreError {
        StoreError(
            .tableExists,
            "Table \(table) has rows that were not loaded from resource \(names.resource), which has a table of that "
                + "name; rename or drop it, or load the resource into another database.")
    }

    /// Returns the entries with the names of a target's tables that belong to other resources, outputs or parameters.
    private func others(than target: ResourceTarget) throws -> [SQLIdentifier: Entry] {
        var others: [SQLIdentifier: Entry] = [:]
        let own = Set(target.tables.map { Entry($0, target.names) })
        let places = target.tables.map { _ in "lower(?)" }.joined(separator: ", ")
        // Letter case does not matter, as for the names themselves.
        let names = target.tables.map { StoreValue.text($0.schema.name.text) }
        for entry in try entries(" WHERE lower(name) IN (\(places))", names) where !own.contains(entry) {
            others[entry.name] = entry
        }
        return others
    }

    private static func sameName(_ other: Entry, _ table: ResourceTarget.Table, _ names: TableNames) -> StoreError {
        StoreError(
            .tableExists,
            "Local table \(other.name) belongs to resource \(other.resource) (output \(other.output)), and resource "
                + "\(names.resource) (output \(table.name)) would have the same; load one of them into another database, "
                + "or drop the tables of \(other.resource) with dropCache.")
    }

    private func isComplete(_ target: ResourceTarget) throws -> Bool {
        for table in target.tables {
            guard let existing = try store.schema(of: table.schema.name), try isReplaceable(existing, table.schema)
            else { return false }
        }
        return Set(try entries(of: target.names).map(\.name)).isSuperset(of: target.tableNames)
    }

    /// Returns the names of a resource's existing tables for some parameters, those with a digest first.
    /// - Parameter output: only the tables of this output table; nil for all.
    /// - Throws: `StoreError`.
    func tableNames(_ names: TableNames, output: String? = nil) throws(StoreError) -> [String] {
        try rethrowingStoreErrors {
            var found: [String] = []
            let foreign = Set(try entries().filter { $0.resource != names.resource }.map(\.name))
            for name in try output.map(names.candidates) ?? entries(of: names).map(\.name)
            where !foreign.contains(name) {
                if let schema = try store.schema(of: name) { found.append(schema.name.text) }
            }
            return found
        }
    }

    /// Drops a resource's tables for some parameters, with their versions.
    /// - Parameter tables: those that the caller has locked; a load may have created others since.
    /// - Returns: the names of the dropped tables.
    /// - Throws: `StoreError`; `tableExists` when one of them has rows that were not loaded. None is dropped then.
    @discardableResult
    func drop(_ names: TableNames, among tables: Set<SQLIdentifier>) throws(StoreError) -> [String] {
        try rethrowingStoreErrors {
            // Foreign keys of the app's own tables may refer to them.
            try store.schemaTransaction {
                var dropped: [String] = []
                for entry in try entries(of: names) where tables.contains(entry.name) {
                    if let existing = try store.schema(of: entry.name) {
                        guard try isReplaceable(existing, nil) else { throw Self.tableOfApp(existing.name, names) }
                        dropped.append(entry.name.text)
                    }
                    try store.dropSynchronizedTable(entry.name)
                    try remove(entry.name)
                }
                return dropped
            }
        }
    }

    /// Returns the listed tables of a resource for some parameters, those with a digest first, else sorted by name.
    func entries(of names: TableNames) throws -> [Entry] {
        let digests = names.parameters.isEmpty ? [names.digest, ""] : [names.digest]
        let entries = try entries(" WHERE resource = ?", [.text(names.resource)])
        return entries.filter { digests.contains($0.digest) }
            .sorted { ($0.digest.isEmpty ? 1 : 0, $0.name.text) < ($1.digest.isEmpty ? 1 : 0, $1.name.text) }
    }

    private func entries(_ condition: String = "", _ values: [StoreValue] = []) throws -> [Entry] {
        let sql = "SELECT name, resource, output, digest FROM \(Self.table.quoted)\(condition)"
        var entries: [Entry] = []
        do {
            try store.query(sql, values) { row in
                entries.append(
                    Entry(
                        name: SQLIdentifier(row.text(at: 0) ?? ""), resource: row.text(at: 1) ?? "",
                        output: row.text(at: 2) ?? "", digest: row.text(at: 3) ?? ""))
                return true
            }
        } catch let error as StoreError where error.code == .noSuchTable { return [] }
        return entries
    }

    private func remove(_ name: SQLIdentifier) throws {
        try store.execute("DELETE FROM \(Self.table.quoted) WHERE name = ?", [.text(name.text)])
    }

    /// Writes an entry; call it inside a transaction.
    func put(_ entry: Entry) throws {
        var row = try RowBatch(columns: Self.columns)
        try row.append([
            .text(entry.name.text), .text(entry.resource), .text(entry.output), .text(entry.digest),
        ])
        try store.upsert(row, into: Self.table)
    }
}

extension TableRegister.Entry {
    init(_ table: ResourceTarget.Table, _ names: TableNames) {
        let digest = table.schema.name == names.plain(table.name) ? "" : names.digest
        self.init(name: table.schema.name, resource: names.resource, output: table.name, digest: digest)
    }
}
