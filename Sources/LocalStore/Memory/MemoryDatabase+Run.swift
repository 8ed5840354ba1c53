extension MemoryDatabase {
    /// What a statement came to.
    struct Outcome {
        /// How many rows were changed.
        var count = 0
        /// The rows of a SELECT.
        var answer: MemoryAnswer?
    }

    /// Runs a statement; what it changed before it failed is the caller's to take back.
    mutating func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome {
        var sql = sql
        return try run(try plan(&sql), parameters)
    }

    /// Runs what was planned for the schema as it is.
    mutating func run(
        _ plan: MemoryPlan, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome {
        guard parameters.count == plan.parameterCount else {
            throw StoreError(
                .invalidArgument,
                "Wrong number of parameters: expected \(plan.parameterCount), got \(parameters.count).")
        }
        if case .select(let select) = plan.kind, let point = select.point,
            parameters[point.parameter].kind == point.kind
        {
            return Outcome(answer: try answer(select, point, parameters[point.parameter]))
        }
        let values = parameters.isEmpty ? [] : parameters.map { SQLValue($0) }
        switch plan.kind {
        case .select(let select):
            if case .table(let slot) = select.source, select.condition.lookup == nil { willRead(slot) }
            return Outcome(answer: try answer(select, values))
        case .insert(let insert):
            willInsert(into: insert.table)
            return Outcome(count: try self.insert(insert, values))
        case .update(let update): return Outcome(count: try self.update(update, values))
        case .delete(let table, let condition): return Outcome(count: try delete(from: table, condition, values))
        case .definition(let statement):
            try define(statement)
            return Outcome()
        }
    }

    /// The answer of a statement that only reads; nil for another one.
    mutating func read(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>
    ) throws(StoreError) -> Outcome? {
        var sql = sql
        let plan = try plan(&sql)
        return plan.isReadOnly ? try run(plan, parameters) : nil
    }

    /// The plan of a statement that only reads.
    /// - Throws: `StoreError`: `misuse` when it writes.
    mutating func query(_ sql: String) throws(StoreError) -> MemoryPlan {
        var sql = sql
        let plan = try plan(&sql)
        guard plan.isReadOnly else { throw StoreReader.readsOnly }
        return plan
    }

    private mutating func plan(_ sql: inout String) throws(StoreError) -> MemoryPlan {
        if let plan = plans.plan(&sql, version: schemaVersion) { return plan }
        let plan = try MemoryPlanner(database: self).plan(try SQLParser.statement(sql))
        keep(plan, for: &sql)
        return plan
    }
}

extension SQLValue {
    init(_ value: StoreValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .checked(number)
        case .text(let text): self = .text(text)
        case .blob(let data): self = .blob(ArraySlice(data))
        }
    }
}
