import DeltaSync
import LocalStore

/// Table of a database that lists the local tables of each resource, so that they are found without its schema.
struct TableRegister: Sendable {
    /// Local table of a resource.
    struct Entry: Hashable, Sendable {
        var name: SQLIdentifier
        var resource: String
        /// The name of the output table.
        var output: String
        /// ``TableNames/digest`` for a table of parameters; empty for one without.
        var digest: String
        /// Validator of the rows, of a resource without versions.
        var etag: String?
    }

    static var table: SQLIdentifier { SQLIdentifier(SQLIdentifier.reservedPrefix + "hyperhive_tables") }
    private static var columns: [SQLIdentifier] { ["name", "resource", "output", "digest", "etag"] }

    let store: any LocalStore

    /// Creates the missing tables of a target, and lists them. Then the next load is a full one: the stored version, if
    /// any, is that of dropped tables.
    /// - Throws: `StoreError`.
    func createTables(of target: ResourceTarget) throws(StoreError) {
        try rethrowingStoreErrors {
            guard try !isComplete(target) else { return }
            try store.transaction {
                if try store.schema(of: Self.table) == nil {
                    let columns = Self.columns.map { TableSchema.Column($0, "TEXT") }
                    try store.createTable(TableSchema(Self.table, columns: columns, primaryKey: ["name"]))
                }
                let known = Set(try entries(of: target.names).map(\.name))
                var isMissing = false
                for table in target.tables {
                    if try store.schema(of: table.schema.name) == nil {
                        try store.createTable(table.schema)
                        isMissing = true
                    }
                    if !known.contains(table.schema.name) { try put(Entry(table, target.names)) }
                }
                if isMissing { try invalidate(target) }
            }
        }
    }

    private func invalidate(_ target: ResourceTarget) throws(StoreError) {
        guard let delta = target.delta else { return }
        do throws(DeltaError) { try DeltaApplier(store).invalidate(delta) } catch {
            throw error.underlying as? StoreError ?? StoreError(.failed, error.message)
        }
    }

    private func isComplete(_ target: ResourceTarget) throws -> Bool {
        for table in target.tables where try store.schema(of: table.schema.name) == nil { return false }
        return Set(try entries(of: target.names).map(\.name)).isSuperset(of: target.tableNames)
    }

    /// Returns the names of a resource's existing tables for some parameters, those with a digest first.
    /// - Parameter output: only the tables of this output table; nil for all.
    /// - Throws: `StoreError`.
    func tableNames(_ names: TableNames, output: String? = nil) throws(StoreError) -> [String] {
        try rethrowingStoreErrors {
            var found: [String] = []
            for name in try output.map(names.candidates) ?? entries(of: names).map(\.name) {
                if let schema = try store.schema(of: name) { found.append(schema.name.text) }
            }
            return found
        }
    }

    /// Drops a resource's tables for some parameters, with their versions.
    /// - Returns: the names of the dropped tables.
    /// - Throws: `StoreError`.
    @discardableResult
    func drop(_ names: TableNames) throws(StoreError) -> [String] {
        try rethrowingStoreErrors {
            // Foreign keys of the app's own tables may refer to them.
            try store.schemaTransaction {
                var dropped: [String] = []
                for entry in try entries(of: names) {
                    if try store.schema(of: entry.name) != nil { dropped.append(entry.name.text) }
                    try store.execute("DROP TABLE IF EXISTS \(entry.name.quoted)", [])
                    try store.execute("DELETE FROM \(Self.table.quoted) WHERE name = ?", [.text(entry.name.text)])
                }
                return dropped
            }
        }
    }

    /// Returns the listed tables of a resource for some parameters, those with a digest first, else sorted by name.
    func entries(of names: TableNames) throws -> [Entry] {
        let digests = names.parameters.isEmpty ? [names.digest, ""] : [names.digest]
        let sql = "SELECT name, resource, output, digest, etag FROM \(Self.table.quoted) WHERE resource = ?"
        var entries: [Entry] = []
        do {
            try store.query(sql, [.text(names.resource)]) { row in
                let entry = Entry(
                    name: SQLIdentifier(row.text(at: 0) ?? ""), resource: row.text(at: 1) ?? "",
                    output: row.text(at: 2) ?? "", digest: row.text(at: 3) ?? "", etag: row.text(at: 4))
                if digests.contains(entry.digest) { entries.append(entry) }
                return true
            }
        } catch let error as StoreError where error.code == .noSuchTable { return [] }
        return entries.sorted { ($0.digest.isEmpty ? 1 : 0, $0.name.text) < ($1.digest.isEmpty ? 1 : 0, $1.name.text) }
    }

    /// Writes an entry; call it inside a transaction.
    func put(_ entry: Entry) throws {
        var row = try RowBatch(columns: Self.columns)
        try row.append([
            .text(entry.name.text), .text(entry.resource), .text(entry.output), .text(entry.digest),
            entry.etag.map { .text($0) } ?? .null,
        ])
        try store.upsert(row, into: Self.table)
    }
}

extension TableRegister.Entry {
    /// - Parameter etag: validator of its rows; default none.
    init(_ table: ResourceTarget.Table, _ names: TableNames, etag: String? = nil) {
        let digest = table.schema.name == names.plain(table.name) ? "" : names.digest
        self.init(name: table.schema.name, resource: names.resource, output: table.name, digest: digest, etag: etag)
    }
}
