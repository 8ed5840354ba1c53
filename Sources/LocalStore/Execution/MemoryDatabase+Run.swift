import StoreCore

extension MemoryDatabase {
    /// Result of a statement.
    struct Outcome {
        /// Number of changed rows.
        var count = 0
        /// The rows of a SELECT.
        var resultSet: ResultSet?
        /// True if the statement did not run, because a transaction has to include the reading of its rows.
        var needsTransaction = false
        /// Ends the reading of the rows.
        var interruption = StatementInterruption.none

        /// Makes the reading of several rows as interruptible as the statement.
        mutating func keepInterruption(of database: borrowing MemoryDatabase) {
            if resultSet?.rowCount ?? 0 > 1 { interruption = database.interruption }
        }
    }

    /// Runs a statement. If it throws, the caller rolls back its partial changes.
    /// - Parameter defersReturning: true to leave a statement with RETURNING for a transaction.
    mutating func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, defersReturning: Bool = false
    ) throws(StoreError) -> Outcome {
        var sql = sql
        let plan = try plan(&sql)
        if defersReturning, plan.returnsChangedRows { return Outcome(needsTransaction: true) }
        return try run(plan, parameters)
    }

    /// Runs a plan made for the current schema version.
    mutating func run(
        _ plan: MemoryPlan, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome {
        guard parameters.count == plan.parameterCount else {
            throw .wrongParameterCount(parameters.count, expected: plan.parameterCount, in: plan.sql)
        }
        if case .select(let select) = plan.kind, let point = select.pointLookup,
            parameters[point.parameter].kind == point.kind
        {
            return Outcome(resultSet: try execute(select, point, parameters[point.parameter]))
        }
        let values = parameters.isEmpty ? [] : parameters.map { SQLValue($0) }
        if plan.hasLongList { lists = SQLListSets(seed) }
        defer { lists = nil }
        switch plan.kind {
        case .select(let select):
            interruption.isReadOnly = true
            if case .table(let slot) = select.source, select.condition.lookup == nil { try willScan(slot) }
            return Outcome(resultSet: try execute(select, values))
        case .insert(let insert):
            try willInsert(into: insert.table)
            return try counting { database throws(StoreError) in try database.insert(insert, values) }
        case .update(let update):
            return try counting { database throws(StoreError) in try database.update(update, values) }
        case .delete(let delete):
            return try counting { database throws(StoreError) in try database.delete(delete, values) }
        case .userVersion(let version):
            if let version {
                setUserVersion(version)
                return Outcome()
            }
            var resultSet = ResultSet(names: ["user_version"])
            resultSet.append(Int64(userVersion))
            resultSet.endRow()
            return Outcome(resultSet: resultSet)
        case .definition(let statement):
            try executeDefinition(statement)
            return Outcome()
        }
    }

    /// Runs a change of rows, and keeps their number for `changes()`; it is 0 after a failure.
    private mutating func counting(
        _ change: (inout MemoryDatabase) throws(StoreError) -> Outcome
    ) throws(StoreError) -> Outcome {
        do throws(StoreError) {
            let outcome = try change(&self)
            changeCount = outcome.count
            return outcome
        } catch {
            changeCount = 0
            throw error
        }
    }

    /// What `last_insert_rowid()` and `changes()` are now.
    var session: SQLSession { SQLSession(lastInsertRowid: undo.lastInsertedRowid, changes: Int64(changeCount)) }

    /// Takes over what another copy of the database has for `last_insert_rowid()` and `changes()`.
    mutating func restoreSession(_ session: SQLSession) {
        undo.lastInsertedRowid = session.lastInsertRowid
        changeCount = Int(session.changes)
    }

    /// Runs a read-only statement; returns nil, without running it, for any other.
    mutating func read(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome? {
        var sql = sql
        let plan = try plan(&sql)
        return plan.isReadOnly ? try run(plan, parameters) : nil
    }

    /// The plan of a read-only statement.
    /// - Throws: `StoreError`: `misuse` when it writes.
    mutating func query(_ sql: String) throws(StoreError) -> MemoryPlan {
        var sql = sql
        let plan = try plan(&sql)
        guard plan.isReadOnly else { throw StoreReader.writeRefused }
        return plan
    }

    /// The tables that a plan reads; nil for the schema table, which depends on all of them.
    func tablesRead(by plan: MemoryPlan) -> Set<SQLIdentifier>? {
        guard case .select(let select) = plan.kind else { return nil }
        switch select.source {
        case .noTable: return []
        case .catalog: return nil
        case .table(let slot): return tables[slot].map { [$0.definition.name] }
        }
    }

    private mutating func plan(_ sql: inout String) throws(StoreError) -> MemoryPlan {
        if let plan = plans.plan(&sql, version: schemaVersion) { return plan }
        let plan = try MemoryPlanner(database: self).plan(
            try SQLParser.statement(sql, allowsDoubleQuotedText: allowsDoubleQuotedText))
        cachePlan(plan, for: &sql)
        return plan
    }
}

extension SQLValue {
    init(_ value: StoreValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .realOrNull(number)
        case .text(let text): self = .text(text)
        case .blob(let data): self = .blob(ArraySlice(data))
        }
    }
}
