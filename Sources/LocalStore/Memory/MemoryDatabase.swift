/// All tables of a ``MemoryStore`` and what was changed in them since the last commit.
struct MemoryDatabase {
    /// A table dropped leaves its slot empty.
    private(set) var tables: [MemoryTable?] = []
    /// The slots that were empty when the transaction began: taking back a drop needs none of them.
    private var freeSlots: [Int] = []
    private var slots: [SQLIdentifier: Int] = [:]
    var undo = UndoLog()
    /// Counts up whenever a plan made before may be wrong.
    private(set) var schemaVersion = 0
    private var nextTableID: UInt32 = 1
    let seed: HashSeed
    var plans: PlanCache
    /// Where the next small answer goes. Whoever has read it gives it back.
    var room = MemoryAnswer.Room()
    /// How often something was committed.
    private var commitCount = 0
    /// How often rows were brought into order for one who read them, or a plan was made.
    private var lessonCount = 0

    /// - Parameter seed: what hashes keys, rowids and statements.
    init(seed: HashSeed = .random()) {
        self.seed = seed
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

    /// Changes a table and its share of the undo log in place.
    mutating func withTable<Result>(
        _ slot: Int, _ body: (inout MemoryTable, inout UndoLog) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Self.change(&tables[slot], &undo, body)
    }

    /// Reads a table in place: without this, each of its parts would be retained for every statement.
    mutating func reading<Result>(
        _ slot: Int, _ body: (borrowing MemoryTable) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Self.change(&tables[slot], &undo) { table, _ throws(StoreError) in try body(table) }
    }

    /// Adds a row to an answer, if it is there.
    mutating func copyRow(
        _ point: MemorySelect.Point, _ value: StoreValue, _ columns: [Int?], to answer: inout MemoryAnswer
    ) throws(StoreError) {
        try tables[point.slot]?.copyRow(key: point.key, value, columns, to: &answer)
    }

    private static func change<Result>(
        _ table: inout MemoryTable?, _ undo: inout UndoLog,
        _ body: (inout MemoryTable, inout UndoLog) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard var taken = table.take() else { throw StoreError(.noSuchTable, "no such table: it was dropped") }
        defer { table = taken }
        return try body(&taken, &undo)
    }

    var names: [SQLIdentifier] { Array(slots.keys) }

    // MARK: Definitions

    mutating func create(_ definition: MemoryTableDefinition) throws(StoreError) {
        guard slots[definition.name] == nil else {
            throw .tableExists(definition.name.text)
        }
        let slot = freeSlots.popLast() ?? tables.count
        let rowid = (tables.compactMap { $0.map { $0.catalogRowid + Int64($0.keys.count) } }.max() ?? 0) + 1
        if slot == tables.count { tables.append(nil) }
        tables[slot] = MemoryTable(definition, slot: slot, id: nextTableID, catalogRowid: rowid, seed: seed)
        nextTableID += 1
        slots[definition.name] = slot
        undo.note(.created(table: slot))
        schemaVersion += 1
    }

    mutating func drop(_ slot: Int) {
        guard let table = tables[slot] else { return }
        tables[slot] = nil
        slots[table.definition.name] = nil
        undo.note(.dropped(table))
        schemaVersion += 1
    }

    /// Gives a table another definition, with another name or one column more.
    mutating func redefine(_ slot: Int, _ definition: MemoryTableDefinition) throws(StoreError) {
        guard let old = tables[slot]?.definition else { return }
        if definition.name != old.name {
            guard slots[definition.name] == nil else {
                throw .tableExists(definition.name.text)
            }
        }
        if definition.schema.columns.count > old.schema.columns.count {
            try tables[slot]?.addColumn(definition)
        } else {
            tables[slot]?.definition = definition
        }
        slots[old.name] = nil
        slots[definition.name] = slot
        undo.note(.redefined(table: slot, old))
        schemaVersion += 1
    }

    // MARK: Replay

    /// Puts a table into a slot of its own; names are found when the replay is over, since a name may be taken meanwhile.
    mutating func restore(_ definition: MemoryTableDefinition, id: UInt32, catalogRowid: Int64) -> Int {
        tables.append(MemoryTable(definition, slot: tables.count, id: id, catalogRowid: catalogRowid, seed: seed))
        nextTableID = max(nextTableID, id + 1)
        return tables.count - 1
    }

    /// - Returns: false when the table cannot have become that.
    mutating func redefineAgain(_ slot: Int, _ definition: MemoryTableDefinition) throws(StoreError) -> Bool {
        guard let old = tables[slot]?.definition, old.schema.columns.count <= definition.schema.columns.count,
            old.rowidColumn == definition.rowidColumn, old.uniqueKeys == definition.uniqueKeys
        else { return false }
        while let count = tables[slot]?.columns.count, count < definition.schema.columns.count {
            try tables[slot]?.addColumn(definition)
        }
        tables[slot]?.definition = definition
        return true
    }

    mutating func forget(_ slot: Int) { tables[slot] = nil }

    /// - Returns: false when two tables have the same name.
    mutating func didReplay() -> Bool {
        undo.removeAll()
        schemaVersion += 1
        for case let table? in tables {
            guard slots.updateValue(table.slot, forKey: table.definition.name) == nil else { return false }
            if table.wantsCompaction { tables[table.slot]?.compact() }
        }
        findFreeSlots()
        return true
    }

    // MARK: The end of a transaction

    /// The tables that were changed since a mark in the undo log, by all names they had.
    func changedTables(since mark: Int = 0) -> Set<SQLIdentifier> {
        var names: Set<SQLIdentifier> = []
        for entry in undo.entries.dropFirst(mark) {
            let slot: Int
            switch entry {
            case .inserted(let table, _, _), .deleted(let table, _, _), .updated(let table, _, _, _),
                .revived(let table, _, _), .created(let table):
                slot = table
            case .dropped(let table):
                names.insert(table.definition.name)
                continue
            case .redefined(let table, let old):
                names.insert(old.name)
                slot = table
            }
            if let name = tables[slot]?.definition.name { names.insert(name) }
        }
        return names
    }

    /// Forgets how to take back what was done; with it, the waste that had to stay for that goes.
    mutating func didCommit() {
        var touched: Set<Int> = []
        var isDropped = false
        for entry in undo.entries {
            switch entry {
            case .inserted(let table, _, _), .deleted(let table, _, _), .updated(let table, _, _, _),
                .revived(let table, _, _):
                touched.insert(table)
            case .dropped: isDropped = true
            case .created, .redefined: break
            }
        }
        undo.removeAll()
        commitCount += 1
        for slot in touched where tables[slot]?.wantsCompaction == true { tables[slot]?.compact() }
        if isDropped { findFreeSlots() }
    }

    private mutating func findFreeSlots() {
        freeSlots = tables.indices.filter { tables[$0] == nil }
    }

    /// Brings a table's rows into order where that may be done, between transactions, and is worth it.
    mutating func willRead(_ slot: Int) {
        guard undo.isEmpty, tables[slot]?.wantsOrder() == true else { return }
        tables[slot]?.compact()
        lessonCount += 1
    }

    /// Keeps the plan of a statement.
    mutating func keep(_ plan: MemoryPlan, for sql: inout String) {
        plans.keep(plan, for: &sql)
        lessonCount += 1
    }

    /// True for a copy that holds the same rows and has found out more about them.
    func isSurpassed(by copy: borrowing MemoryDatabase) -> Bool {
        undo.isEmpty && commitCount == copy.commitCount && lessonCount < copy.lessonCount
    }

    /// As ``willRead(_:)``, for a table that is about to give out a rowid.
    mutating func willInsert(into slot: Int) {
        if undo.isEmpty, tables[slot]?.isNextRowidFar == true { tables[slot]?.compact() }
    }

    /// A copy without what the transaction under way changed.
    func committed() -> MemoryDatabase {
        var copy = self
        copy.rollBack(to: 0)
        return copy
    }

    mutating func rollBack(to mark: Int) {
        while undo.entries.count > mark, let entry = undo.popLast() { takeBack(entry) }
    }

    private mutating func takeBack(_ entry: UndoLog.Entry) {
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
