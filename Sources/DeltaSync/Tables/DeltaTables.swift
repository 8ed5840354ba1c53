import StoreCore

/// Tables of one target in a store, with their entries in the version table.
///
/// Call mutating methods only inside a transaction.
struct DeltaTables: Sendable {
    let target: DeltaTarget
    let versions: VersionTable
    /// Shadow tables, which a full load fills and then swaps for the target's tables.
    let shadows: [TableSchema]
    /// The number of edits that were sent when the delta was requested; nil if unknown.
    var sentCount: Int64?
    /// Returns a unique generation name.
    private let newGeneration: @Sendable () -> String
    var store: any LocalStore { versions.store }
    private typealias Entry = VersionTable.Entry

    init(
        _ target: DeltaTarget, in store: any LocalStore, newGeneration: @escaping @Sendable () -> String
    ) throws(StoreError) {
        self.target = target
        self.newGeneration = newGeneration
        versions = VersionTable(store: store)
        var shadows: [TableSchema] = []
        for table in target.tables { shadows.append(try table.shadow()) }
        self.shadows = shadows
    }

    /// Creates missing tables and adds missing columns.
    /// - Returns: the stored state of the target.
    func prepare() throws -> StoredState {
        let generation = try versions.open(newGeneration: newGeneration)
        for table in target.tables {
            guard let actual = try store.schema(of: table.name) else {
                try store.createTable(table)
                // A leftover entry belongs to a dropped table.
                try versions.remove(table.name)
                continue
            }
            try adapt(table, from: actual)
        }
        return try storedState(generation)
    }

    private func adapt(_ table: TableSchema, from actual: TableSchema) throws {
        if case .additions(let columns) = try drift(from: actual, to: table) {
            for column in columns {
                let type = column.declaredType.isEmpty ? "" : " " + column.declaredType
                try store.execute("ALTER TABLE \(table.name.quoted) ADD COLUMN \(column.name.quoted)\(type)", [])
            }
        }
        guard let entry = try versions.entry(of: table.name) else { return }
        let adapted = try adapted(entry, table, from: actual)
        if adapted != entry { try versions.put(adapted, for: table.name) }
    }

    /// The entry of a table after its missing columns have been added; without a version when its rows are not valid
    /// for the wanted schema.
    private func adapted(_ entry: Entry, _ table: TableSchema, from actual: TableSchema) throws -> Entry {
        let wanted = TableSignature(table)
        var entry = entry
        guard let stored = TableSignature(text: entry.schema),
            let changed = stored.changed(to: wanted, allowsAdditions: target.backfillsAddedColumns)
        else {
            entry.version = nil
            return entry
        }
        switch try drift(from: actual, to: table) {
        case .replacement: entry.version = nil
        // Another program has dropped a column, with its values.
        case .additions(let columns) where columns.contains(where: { stored.contains($0.name) }): entry.version = nil
        case .additions, .none: entry.schema = changed.text
        }
        return entry
    }

    /// The stored state of the target.
    func storedState() throws -> StoredState { try storedState(versions.open(newGeneration: newGeneration)) }

    private func storedState(_ generation: String) throws -> StoredState {
        let entries = try entries()
        return StoredState(
            version: try commonVersion(of: target.tables, entries, generation),
            page: try commonVersion(of: shadows, entries, generation))
    }

    /// The entries of the target's tables, of their shadow tables, and of the generation.
    private func entries() throws -> [SQLIdentifier: Entry] {
        try versions.entries(of: target.tables.map(\.name) + shadows.map(\.name) + [VersionTable.generationName])
    }

    /// The state that ``prepare()`` would return, without changing anything. Needs no transaction.
    func expectedState() throws -> StoredState {
        var entries = try entries()
        guard let generation = entries[VersionTable.generationName]?.version else { return StoredState() }
        for table in target.tables {
            guard let actual = try store.schema(of: table.name), let entry = entries[table.name] else { continue }
            entries[table.name] = try adapted(entry, table, from: actual)
        }
        return StoredState(
            version: try commonVersion(of: target.tables, entries, generation, lacksColumns: true),
            page: try commonVersion(of: shadows, entries, generation))
    }

    /// The version that all tables share; nil when they differ, or when one is missing or invalid.
    /// - Parameter lacksColumns: true to accept tables whose missing columns will be added before use.
    private func commonVersion(
        of tables: [TableSchema], _ entries: [SQLIdentifier: Entry], _ generation: String, lacksColumns: Bool = false
    ) throws -> String? {
        var versions: Set<String?> = []
        for table in tables {
            guard let entry = entries[table.name], entry.binding == target.binding.text,
                entry.generation == generation,
                TableSignature(text: entry.schema)?.matches(TableSignature(table)) == true,
                let actual = try store.schema(of: table.name)
            else { return nil }
            switch try drift(from: actual, to: table) {
            case .replacement: return nil
            case .additions: if !lacksColumns { return nil }
            case .none: break
            }
            versions.insert(entry.version)
        }
        return versions.count == 1 ? versions.first ?? nil : nil
    }

    /// Makes the rows invalid; they stay readable.
    func invalidate() throws {
        for table in target.tables {
            guard var entry = try versions.entry(of: table.name) else { continue }
            entry.version = nil
            try versions.put(entry, for: table.name)
        }
    }

    /// Stores the version of the rows.
    func record(_ version: String) throws { try record(version, of: target.tables, owner: nil) }

    /// Stores the last loaded page.
    func record(page: String?, owner: String) throws { try record(page, of: shadows, owner: owner) }

    private func record(_ version: String?, of tables: [TableSchema], owner: String?) throws {
        let generation = try versions.open(newGeneration: newGeneration)
        for table in tables {
            let (stored, signature) = (try versions.entry(of: table.name)?.schema, TableSignature(table))
            // With the columns that the server no longer has.
            let isSame = stored.flatMap { TableSignature(text: $0) }?.matches(signature) == true
            let entry = Entry(
                version: version, binding: target.binding.text, schema: isSame ? stored ?? "" : signature.text,
                generation: generation, owner: owner)
            try versions.put(entry, for: table.name)
        }
    }

    // MARK: Full load

    /// True when the tables can take the rows of a full load themselves.
    ///
    /// They are empty, have the wanted columns in the wanted order, and no triggers, which do not run for a full load.
    /// No local edit belongs to them.
    func areReadyForRows() throws -> Bool {
        let edits = EditTables(store: store)
        let hasEdits = try edits.exist
        for table in target.tables {
            if hasEdits, try edits.hasRows(of: table.name) { return false }
            guard let actual = try store.schema(of: table.name), actual.columns.starts(with: table.columns),
                actual.primaryKey == table.primaryKey, try removedColumns(of: table).isEmpty
            else { return false }
            var isEmpty = true
            try store.query("SELECT 1 FROM \(table.name.quoted) LIMIT 1", []) { _ in
                isEmpty = false
                return false
            }
            guard isEmpty else { return false }
        }
        let names = Set(target.tables.map(\.name))
        var hasTriggers = false
        try store.query("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'", []) { row in
            hasTriggers = hasTriggers || names.contains(SQLIdentifier(row.text(at: 0) ?? ""))
            return true
        }
        return !hasTriggers
    }

    /// Starts a full load with empty shadow tables.
    func beginLoad(owner: String) throws {
        try discardLoad()
        for (table, shadow) in zip(target.tables, shadows) {
            try store.createTable(shadow)
            try addAppColumns(of: table, to: shadow)
        }
        try record(page: nil, owner: owner)
    }

    /// True when this owner's load is still the current one.
    func isLoadOwned(by owner: String) throws -> Bool {
        for shadow in shadows where try versions.entry(of: shadow.name)?.owner != owner { return false }
        return true
    }

    /// - Throws: ``DeltaError`` (`busy`) unless this owner's load is still the current one, of rows that nothing has
    ///   invalidated since.
    func requireLoad(ownedBy owner: String) throws {
        guard try isLoadOwned(by: owner) else { throw RowLoader.concurrentLoad }
        let generation = try versions.open(newGeneration: newGeneration)
        for shadow in shadows where try versions.entry(of: shadow.name)?.generation != generation {
            throw DeltaApplier.changedMeanwhile
        }
    }

    /// Drops the shadow tables and their entries.
    func discardLoad() throws {
        for shadow in shadows {
            try store.execute("DROP TABLE IF EXISTS \(shadow.name.quoted)", [])
            try versions.remove(shadow.name)
        }
    }

    /// Swaps the target's tables for the shadow tables and stores the version.
    /// - Parameter requestVersion: the version that the load was requested from.
    func finishLoad(_ version: String, requestedAt requestVersion: String?) throws {
        for (table, shadow) in zip(target.tables, shadows) {
            // Again: the app may have added some since the load has begun.
            try addAppColumns(of: table, to: shadow)
            try keepEdits(of: table, in: shadow, requestedAt: requestVersion)
            try copyAppValues(of: table, to: shadow)
            try store.swapTableKeepingIndexes(table.name, for: shadow.name)
            try versions.remove(shadow.name)
            try versions.remove(table.name)
        }
        try record(version)
    }
}
