/// The tables of one target in a store, with what the ledger says of them. Every method that changes something
/// belongs into a transaction.
struct DeltaTables: Sendable {
    let target: DeltaTarget
    let ledger: DeltaLedger
    /// The tables in which rows are loaded before they take the place of the target's.
    let shadows: [TableSchema]
    /// Gives the name of a generation that was never used.
    private let newGeneration: @Sendable () -> String
    private var store: any LocalStore { ledger.store }
    private typealias Entry = DeltaLedger.Entry

    init(
        _ target: DeltaTarget, in store: any LocalStore, newGeneration: @escaping @Sendable () -> String
    ) throws(StoreError) {
        self.target = target
        self.newGeneration = newGeneration
        ledger = DeltaLedger(store: store)
        var shadows: [TableSchema] = []
        for table in target.tables { shadows.append(try table.shadow()) }
        self.shadows = shadows
    }

    /// Makes the tables that are missing, and adds the columns that are missing in others.
    /// - Returns: what is stored of the target.
    func prepare() throws -> DeltaStanding {
        let generation = try ledger.open(newGeneration: newGeneration)
        for table in target.tables {
            guard let actual = try store.schema(of: table.name) else {
                try store.create(table)
                // Whatever was known of it was of a table that is gone.
                try ledger.remove(table.name)
                continue
            }
            try adapt(table, from: actual)
        }
        return try standing(generation)
    }

    private func adapt(_ table: TableSchema, from actual: TableSchema) throws {
        if case .additions(let columns) = SchemaDrift(from: actual, to: table) {
            for column in columns {
                let type = column.declaredType.isEmpty ? "" : " " + column.declaredType
                try store.execute("ALTER TABLE \(table.name.quoted) ADD COLUMN \(column.name.quoted)\(type)")
            }
        }
        guard let entry = try ledger.entry(of: table.name) else { return }
        let adapted = adapted(entry, table, from: actual)
        if adapted != entry { try ledger.put(adapted, for: table.name) }
    }

    /// What is to be known of a table once it has the columns that it lacks.
    private func adapted(_ entry: Entry, _ table: TableSchema, from actual: TableSchema) -> Entry {
        let canStay: Bool
        switch SchemaDrift(from: actual, to: table) {
        case .replacement: canStay = false
        case .additions: canStay = target.backfillsAddedColumns
        // Without a difference that was seen, somebody else has changed the table.
        case .none: canStay = actual.columns.count > table.columns.count
        }
        var entry = entry
        if canStay { entry.schema = table.signature }
        return entry
    }

    /// What is stored of the target.
    func standing() throws -> DeltaStanding { try standing(ledger.open(newGeneration: newGeneration)) }

    private func standing(_ generation: String) throws -> DeltaStanding {
        let entries = try ledger.entries()
        return DeltaStanding(
            version: try commonVersion(of: target.tables, entries, generation),
            page: try commonVersion(of: shadows, entries, generation))
    }

    /// What ``prepare()`` would say, without making or changing anything. It needs no transaction.
    func expectedStanding() throws -> DeltaStanding {
        var entries = try ledger.entries()
        guard let generation = entries[DeltaLedger.generationName]?.version else { return DeltaStanding() }
        for table in target.tables {
            guard let actual = try store.schema(of: table.name), let entry = entries[table.name] else { continue }
            entries[table.name] = adapted(entry, table, from: actual)
        }
        return DeltaStanding(
            version: try commonVersion(of: target.tables, entries, generation, lacksColumns: true),
            page: try commonVersion(of: shadows, entries, generation))
    }

    /// The version that all tables have; nil when one has none, or one that does not count.
    /// - Parameter lacksColumns: true for tables that get the columns that they lack before they are used.
    private func commonVersion(
        of tables: [TableSchema], _ entries: [SQLIdentifier: Entry], _ generation: String, lacksColumns: Bool = false
    ) throws -> String? {
        var versions: Set<String?> = []
        for table in tables {
            guard let entry = entries[table.name], entry.binding == target.binding.text,
                entry.generation == generation, entry.schema == table.signature,
                let actual = try store.schema(of: table.name)
            else { return nil }
            switch SchemaDrift(from: actual, to: table) {
            case .replacement: return nil
            case .additions: if !lacksColumns { return nil }
            case .none: break
            }
            versions.insert(entry.version)
        }
        return versions.count == 1 ? versions.first ?? nil : nil
    }

    /// Says which version the rows have.
    func record(_ version: String) throws { try record(version, of: target.tables, owner: nil) }

    /// Says which page was loaded last.
    func record(page: String?, owner: String) throws { try record(page, of: shadows, owner: owner) }

    private func record(_ version: String?, of tables: [TableSchema], owner: String?) throws {
        let generation = try ledger.open(newGeneration: newGeneration)
        for table in tables {
            let entry = Entry(
                version: version, binding: target.binding.text, schema: table.signature, generation: generation,
                owner: owner)
            try ledger.put(entry, for: table.name)
        }
    }

    // MARK: Loading

    /// Begins to load all rows.
    func beginLoad(owner: String) throws {
        try dropLoad()
        for shadow in shadows { try store.create(shadow) }
        try record(page: nil, owner: owner)
    }

    /// True when the rows are still loaded by this owner.
    func isLoaded(by owner: String) throws -> Bool {
        for shadow in shadows where try ledger.entry(of: shadow.name)?.owner != owner { return false }
        return true
    }

    /// Forgets the rows that were loaded.
    func dropLoad() throws {
        for shadow in shadows {
            try store.execute("DROP TABLE IF EXISTS \(shadow.name.quoted)")
            try ledger.remove(shadow.name)
        }
    }

    /// Puts the loaded tables in the place of the target's.
    func finishLoad(_ version: String) throws {
        for (table, shadow) in zip(target.tables, shadows) {
            let companions = try companions(of: table.name)
            try store.replace(table.name, with: shadow.name)
            try ledger.remove(shadow.name)
            for statement in companions { try make(statement) }
        }
        try record(version)
    }

    /// The statements that made a table's indexes and triggers, which go away with it.
    private func companions(of table: SQLIdentifier) throws -> [String] {
        let sql = "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' OR type = 'trigger'"
        var statements: [String] = []
        try store.query(sql) { row in
            // The index of a primary key has no statement.
            if let name = row.text(at: 0), SQLIdentifier(name) == table, let statement = row.text(at: 1) {
                statements.append(statement)
            }
            return true
        }
        return statements
    }

    /// Makes an index or a trigger anew; one that does not fit the new table goes away with the old one.
    private func make(_ statement: String) throws {
        do {
            try store.transaction { _ = try store.execute(statement) }
        } catch let error as StoreError
            where [.noSuchColumn, .constraint, .syntax, .failed, .unsupportedSQL].contains(error.code)
        {
        }
    }
}
