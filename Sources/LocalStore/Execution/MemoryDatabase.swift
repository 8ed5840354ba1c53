import StoreCore

/// All tables of a ``MemoryStore``, and the undo log of the current transaction.
struct MemoryDatabase {
    /// Tables by slot; dropping a table empties its slot.
    private(set) var tables: [MemoryTable?] = []
    /// A free list of slots that were empty when the transaction began: undoing a DROP needs none of them.
    private var freeSlots: [Int] = []
    private var slots: [SQLIdentifier: Int] = [:]
    var undo = UndoLog()
    /// Incremented by every change that may invalidate a plan.
    private(set) var schemaVersion = 0
    private var nextTableID: UInt32 = 1
    let seed: HashSeed
    /// True if text may be in double quotes; see ``SQLParser``.
    let allowsDoubleQuotedText: Bool
    var plans: PlanCache
    /// Of the statement that runs; set before each one.
    var interruption = StatementInterruption.none
    /// Of the statement that runs; nil if it has no long list.
    var lists: SQLListSets?
    /// Recycled buffers for the next small result set; its reader returns them.
    var resultBuffers = ResultSet.Buffers()
    /// Value of `PRAGMA user_version`.
    private(set) var userVersion: Int32 = 0
    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    var changeCount = 0
    /// Number of commits.
    private var commitCount = 0
    /// Number of times that a read sorted rows or cached a plan, which changes no data.
    private var cacheGeneration = 0

    /// - Parameters:
    ///   - seed: seed of the hashes of keys, rowids and statements.
    ///   - allowsDoubleQuotedText: true if text may be in double quotes; default false.
    init(seed: HashSeed = .random(), allowsDoubleQuotedText: Bool = false) {
        self.seed = seed
        self.allowsDoubleQuotedText = allowsDoubleQuotedText
        plans = PlanCache(seed)
    }

    // MARK: Tables

    func slot(_ name: SQLIdentifier) throws(StoreError) -> Int {
        guard let slot = slots[name] else { throw .noSuchTable(name.text) }
        return slot
    }

    func table(_ name: SQLIdentifier) -> MemoryTable? { slots[name].flatMap { tables[$0] } }

    func table(_ slot: Int) throws(StoreError) -> MemoryTable {
        guard let table = tables[slot] else { throw StoreError(.noSuchTable, "no such table: it was dropped") }
        return table
    }

    /// Changes a table in place, together with the undo log.
    mutating func withTable<Result>(
        _ slot: Int, _ body: (inout MemoryTable, inout UndoLog) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Self.change(&tables[slot], &undo, body)
    }

    /// Reads a table in place. A copy of the struct would retain each of its arrays, for every statement.
    mutating func withBorrowedTable<Result>(
        _ slot: Int, _ body: (borrowing MemoryTable) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Self.change(&tables[slot], &undo) { table, _ throws(StoreError) in try body(table) }
    }

    /// Appends the row of a point lookup to a result set, if it exists.
    mutating func copyRow(
        _ point: MemorySelect.PointLookup, _ value: StoreValue, _ columns: [Int?], to resultSet: inout ResultSet
    ) throws(StoreError) {
        try tables[point.slot]?.copyRow(key: point.key, value, columns, to: &resultSet)
    }

    private static func change<Result>(
        _ table: inout MemoryTable?, _ undo: inout UndoLog,
        _ body: (inout MemoryTable, inout UndoLog) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard var taken = table.take() else { throw StoreError(.noSuchTable, "no such table: it was dropped") }
        defer { table = taken }
        return try body(&taken, &undo)
    }

    // MARK: Definitions

    mutating func create(_ definition: MemoryTableDefinition) throws(StoreError) {
        guard slots[definition.name] == nil else { throw .tableExists(definition.name.text) }
        let slot = freeSlots.popLast() ?? tables.count
        let rowid = (tables.compactMap { $0.map { $0.catalogRowid + Int64($0.keys.count) } }.max() ?? 0) + 1
        if slot == tables.count { tables.append(nil) }
        tables[slot] = MemoryTable(definition, slot: slot, id: nextTableID, catalogRowid: rowid, seed: seed)
        nextTableID += 1
        slots[definition.name] = slot
        undo.append(.created(table: slot))
        schemaVersion += 1
    }

    mutating func drop(_ slot: Int) {
        guard let table = tables[slot] else { return }
        tables[slot] = nil
        slots[table.definition.name] = nil
        undo.append(.dropped(table))
        schemaVersion += 1
    }

    /// Drops a column that is in no key.
    mutating func dropColumn(_ column: Int, of slot: Int, _ definition: MemoryTableDefinition) {
        guard let old = tables[slot] else { return }
        tables[slot]?.removeColumn(column, definition, id: nextTableID)
        nextTableID += 1
        undo.append(.replaced(old))
        schemaVersion += 1
    }

    /// Sets `PRAGMA user_version`.
    mutating func setUserVersion(_ version: Int32) {
        guard version != userVersion else { return }
        undo.append(.userVersion(userVersion))
        userVersion = version
    }

    /// Changes a table's name or that of a column, or adds a column.
    mutating func redefine(_ slot: Int, _ definition: MemoryTableDefinition) throws(StoreError) {
        guard let old = tables[slot]?.definition else { return }
        if definition.name != old.name {
            guard slots[definition.name] == nil else { throw .tableExists(definition.name.text) }
        }
        if definition.schema.columns.count > old.schema.columns.count {
            try tables[slot]?.addColumn(definition)
        } else {
            tables[slot]?.definition = definition
        }
        slots[old.name] = nil
        slots[definition.name] = slot
        undo.append(.redefined(table: slot, old))
        schemaVersion += 1
    }

    // MARK: Replay

    mutating func restoreUserVersion(_ version: Int32) { userVersion = version }

    /// Adds a table in a new slot. Names are assigned after the replay, since tables may swap names meanwhile.
    mutating func restoreTable(_ definition: MemoryTableDefinition, id: UInt32, catalogRowid: Int64) -> Int {
        tables.append(MemoryTable(definition, slot: tables.count, id: id, catalogRowid: catalogRowid, seed: seed))
        nextTableID = max(nextTableID, id + 1)
        return tables.count - 1
    }

    /// Replays a change of definition.
    /// - Returns: false if no statement changes the old definition into this one.
    mutating func replayDefinition(_ slot: Int, _ definition: MemoryTableDefinition) throws(StoreError) -> Bool {
        guard let old = tables[slot]?.definition, old.schema.columns.count <= definition.schema.columns.count,
            old.rowidColumn == definition.rowidColumn, old.uniqueKeys == definition.uniqueKeys
        else { return false }
        while let count = tables[slot]?.columns.count, count < definition.schema.columns.count {
            try tables[slot]?.addColumn(definition)
        }
        tables[slot]?.definition = definition
        return true
    }

    mutating func removeTable(_ slot: Int) { tables[slot] = nil }

    /// Ends a replay: assigns names and compacts tables.
    /// - Returns: false if two tables have the same name.
    mutating func finishReplay() -> Bool {
        undo.removeAll()
        undo.lastInsertedRowid = 0
        schemaVersion += 1
        for case let table? in tables {
            guard slots.updateValue(table.slot, forKey: table.definition.name) == nil else { return false }
            if table.needsCompaction { try? tables[table.slot]?.compact() }
        }
        updateFreeSlots()
        return true
    }

    // MARK: Commit and rollback

    /// The tables changed since a savepoint, under all names that they had.
    func changedTables(since savepoint: Int = 0) -> Set<SQLIdentifier> {
        var names: Set<SQLIdentifier> = []
        var lastSlot: Int?
        for entry in undo.entries.dropFirst(savepoint) {
            let slot: Int
            switch entry {
            case .inserted(let table, _, _), .deleted(let table, _, _), .updated(let table, _, _, _),
                .revived(let table, _, _), .created(let table):
                slot = table
            case .dropped(let table), .replaced(let table):
                names.insert(table.definition.name)
                continue
            case .userVersion: continue
            case .redefined(let table, let old):
                names.insert(old.name)
                slot = table
            }
            // There is one entry for each updated row, and hashing its name would take longer than the update.
            guard slot != lastSlot else { continue }
            lastSlot = slot
            if let name = tables[slot]?.definition.name { names.insert(name) }
        }
        return names
    }

    /// Clears the undo log, then compacts tables: their dead rows and bytes were kept for a rollback.
    mutating func didCommit() {
        var touched: Set<Int> = []
        var isDropped = false
        for entry in undo.entries {
            switch entry {
            case .inserted(let table, _, _), .deleted(let table, _, _), .updated(let table, _, _, _),
                .revived(let table, _, _):
                touched.insert(table)
            case .dropped: isDropped = true
            case .created, .redefined, .replaced, .userVersion: break
            }
        }
        undo.removeAll()
        commitCount += 1
        for slot in touched where tables[slot]?.needsCompaction == true { try? tables[slot]?.compact() }
        if isDropped { updateFreeSlots() }
    }

    private mutating func updateFreeSlots() {
        freeSlots = tables.indices.filter { tables[$0] == nil }
    }

    /// Sorts a table's rows by rowid before a scan, between transactions and if it pays off.
    mutating func willScan(_ slot: Int) throws(StoreError) {
        guard undo.isEmpty, tables[slot]?.shouldSortBeforeScan() == true else { return }
        try tables[slot]?.compact(interruption)
        cacheGeneration += 1
    }

    /// Caches the plan of a statement.
    mutating func cachePlan(_ plan: MemoryPlan, for sql: inout String) {
        plans.insert(plan, for: &sql)
        cacheGeneration += 1
    }

    /// True if `copy` has the same rows, and more cached plans or sorted tables.
    func isSuperseded(by copy: borrowing MemoryDatabase) -> Bool {
        undo.isEmpty && commitCount == copy.commitCount && cacheGeneration < copy.cacheGeneration
    }

    /// Compacts a table whose next rowid would need a scan; as ``willScan(_:)``.
    mutating func willInsert(into slot: Int) throws(StoreError) {
        if undo.isEmpty, tables[slot]?.isNextRowidExpensive == true { try tables[slot]?.compact(interruption) }
    }

    /// A copy with the current transaction rolled back.
    func committedCopy() -> MemoryDatabase {
        var copy = self
        copy.rollBack(to: 0)
        return copy
    }

    mutating func rollBack(to savepoint: Int) {
        while undo.entries.count > savepoint, let entry = undo.popLast() { revert(entry) }
    }

    private mutating func revert(_ entry: UndoLog.Entry) {
        switch entry {
        case .inserted(let table, let first, let count): tables[table]?.undoInsert(first: first, count: count)
        case .deleted(let table, let first, let count): tables[table]?.undoDelete(first: first, count: count)
        case .updated(let table, let row, let rowid, let cells):
            tables[table]?.undoUpdate(row, rowid: rowid, undo.cells[cells...])
            undo.removeCells(from: cells)
        case .revived(let table, let row, let cells):
            tables[table]?.undoRevival(row, undo.cells[cells...])
            undo.removeCells(from: cells)
        case .created(let table):
            if let name = tables[table]?.definition.name { slots[name] = nil }
            tables[table] = nil
            freeSlots.append(table)
            schemaVersion += 1
        case .dropped(let table):
            tables[table.slot] = table
            slots[table.definition.name] = table.slot
            schemaVersion += 1
        case .replaced(let table):
            tables[table.slot] = table
            schemaVersion += 1
        case .userVersion(let version): userVersion = version
        case .redefined(let table, let definition):
            if let name = tables[table]?.definition.name { slots[name] = nil }
            slots[definition.name] = table
            tables[table]?.definition = definition
            if let count = tables[table]?.columns.count, count > definition.schema.columns.count {
                tables[table]?.columns.removeLast()
            }
            schemaVersion += 1
        }
    }
}
