import StoreCore

/// The table `sqlite_master`, built from the existing tables for each query (sqlite.org/schematab.html).
enum MemoryCatalog {
    static let scope = SQLScope(
        table: "sqlite_master",
        columns: [
            SQLScope.Column(name: "type", affinity: .text),
            SQLScope.Column(name: "name", affinity: .text),
            SQLScope.Column(name: "tbl_name", affinity: .text),
            SQLScope.Column(name: "rootpage", affinity: .integer),
            SQLScope.Column(name: "sql", affinity: .text),
        ])

    /// `rootpage` is 0, as in SQLite for entries without a page.
    private static let noPage = SQLValue.integer(0)

    static func table(of database: MemoryDatabase) throws(StoreError) -> MemoryTable {
        let definition = try MemoryTableDefinition(
            try SQLParser.table(
                "CREATE TABLE sqlite_master (type TEXT, name TEXT, tbl_name TEXT, rootpage INT, sql TEXT)"))
        var catalog = MemoryTable(definition, slot: 0, id: 0, catalogRowid: 0, seed: database.seed)
        var undo = UndoLog()
        for table in database.tables.compactMap({ $0 }).sorted(by: { $0.catalogRowid < $1.catalogRowid }) {
            let name = table.definition.name.text
            let values: [SQLValue] = [
                .text("table"), .text(name), .text(name), noPage, .text(table.definition.text),
            ]
            try catalog.insert(values, rowid: table.catalogRowid, &undo)
            for number in 0..<table.keys.count {
                let values: [SQLValue] = [
                    .text("index"), .text("sqlite_autoindex_\(name)_\(number + 1)"), .text(name), noPage, .null,
                ]
                try catalog.insert(values, rowid: table.catalogRowid + Int64(number) + 1, &undo)
            }
        }
        return catalog
    }
}
