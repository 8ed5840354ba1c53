import DeltaSync
import LocalStore

/// Replaces the rows of tables without versions, atomically: fills shadow tables, then swaps them.
struct TableReplacement {
    private let store: any LocalStore
    private let register: TableRegister
    private let target: ResourceTarget
    private let etag: String?
    private let shadows: [TableSchema]

    /// - Parameter etag: validator of the new rows.
    init(_ target: ResourceTarget, _ register: TableRegister, etag: String?) throws {
        store = register.store
        self.register = register
        self.target = target
        self.etag = etag
        shadows = try target.tables.map { table in
            let name = SQLIdentifier(SQLIdentifier.reservedPrefix + "load_" + table.schema.name.text)
            return try TableSchema(name, columns: table.schema.columns)
        }
    }

    /// Reads all rows and replaces the tables. Nothing is changed when it throws.
    /// - Returns: the number of rows.
    func run(_ reader: inout TableResponseReader, onBatch: (_ rows: Int) -> Void) throws -> Int {
        try store.transaction {
            try dropShadows()
            for shadow in shadows { try store.createTable(shadow) }
        }
        do {
            let rows = try load(&reader, onBatch: onBatch)
            try store.transaction {
                for (table, shadow) in zip(target.tables, shadows) {
                    try store.swapTableKeepingIndexes(table.schema.name, for: shadow.name)
                    try register.put(.init(table, target.names, etag: etag))
                }
            }
            return rows
        } catch {
            // Frees the shadow tables: the cause may be a full disk.
            try? store.transaction { try dropShadows() }
            throw error
        }
    }

    private func load(_ reader: inout TableResponseReader, onBatch: (_ rows: Int) -> Void) throws -> Int {
        var rows = try shadows.map { try RowBatch(columns: $0.columns.map(\.name)) }
        // Without keys, no deletions are read.
        var keys: [RowBatch] = []
        var count = 0
        while true {
            guard !Task.isCancelled else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
            for index in rows.indices { rows[index].removeAll() }
            guard case .rows(let table) = try reader.next(.rows, rows: &rows, keys: &keys) else { return count }
            try store.insert(rows[table], into: shadows[table].name)
            count += rows[table].rowCount
            onBatch(rows[table].rowCount)
        }
    }

    private func dropShadows() throws {
        for shadow in shadows { try store.execute("DROP TABLE IF EXISTS \(shadow.name.quoted)", []) }
    }
}
