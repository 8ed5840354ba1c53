extension MemoryDatabase {
    /// Result of a statement.
    struct Outcome {
        /// Number of changed rows.
        var count = 0
        /// The rows of a SELECT.
        var resultSet: ResultSet?
    }

    /// Runs a statement. If it throws, the caller rolls back its partial changes.
    mutating func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome {
        var sql = sql
        return try run(try plan(&sql), parameters)
    }

    /// Runs a plan made for the current schema version.
    mutating func run(
        _ plan: MemoryPlan, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome {
        guard parameters.count == plan.parameterCount else {
            throw StoreError(
                .invalidArgument,
                "Wrong number of parameters: expected \(plan.parameterCount), got \(parameters.count).")
        }
        if case .select(let select) = plan.kind, let point = select.pointLookup,
            parameters[point.parameter].kind == point.kind
        {
            return Outcome(resultSet: try execute(select, point, parameters[point.parameter]))
        }
        let values = parameters.isEmpty ? [] : parameters.map { SQLValue($0) }
        switch plan.kind {
        case .select(let select):
            if case .table(let slot) = select.source, select.condition.lookup == nil { willScan(slot) }
            return Outcome(resultSet: try execute(select, values))
        case .insert(let insert):
            willInsert(into: insert.table)
            return Outcome(count: try self.insert(insert, values))
        case .update(let update): return Outcome(count: try self.update(update, values))
        case .delete(let table, let condition): return Outcome(count: try delete(from: table, condition, values))
        case .definition(let statement):
            try executeDefinition(statement)
            return Outcome()
        }
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

    private mutating func plan(_ sql: inout String) throws(StoreError) -> MemoryPlan {
        if let plan = plans.plan(&sql, version: schemaVersion) { return plan }
        let plan = try MemoryPlanner(database: self).plan(try SQLParser.statement(sql))
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
