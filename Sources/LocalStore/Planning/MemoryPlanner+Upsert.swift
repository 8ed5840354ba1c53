import StoreCore

extension MemoryPlanner {
    /// The uniqueness checks of an INSERT in SQLite's order, with the resolutions of its ON CONFLICT clauses.
    ///
    /// The constraints that clauses name come first, in the order of the clauses; then the rowid, then the other keys
    /// from the last one. Without a clause that names another constraint first, the rowid comes before all keys.
    func conflictChecks(
        of insert: SQLInsert, _ table: MemoryTable
    ) throws(StoreError) -> ([MemoryInsert.Check], [MemoryInsert.ConflictUpdate]) {
        var named: [Int?] = []
        var resolutions: [MemoryInsert.Check.Resolution] = []
        var rest = MemoryInsert.Check.Resolution.conflict(insert.conflict)
        var updates: [MemoryInsert.ConflictUpdate] = []
        for upsert in insert.upserts {
            // The target first, as in SQLite: of two mistakes, the same one is reported.
            guard let target = upsert.target else {
                rest = try resolution(of: upsert, insert, table, &updates)
                continue
            }
            let key = try self.key(target, table, upsert.offset)
            let resolution = try resolution(of: upsert, insert, table, &updates)
            // Of two clauses for one constraint, the first decides.
            if named.contains(key) { continue }
            named.append(key)
            resolutions.append(resolution)
        }
        var checks = zip(named, resolutions).map { MemoryInsert.Check(key: $0, resolution: $1) }
        for check in MemoryInsert.Check.all(keyCount: table.keys.count, insert.conflict)
        where !named.contains(check.key) {
            checks.append(MemoryInsert.Check(key: check.key, resolution: rest))
        }
        return (checks, updates)
    }

    private func resolution(
        of upsert: SQLUpsert, _ insert: SQLInsert, _ table: MemoryTable,
        _ updates: inout [MemoryInsert.ConflictUpdate]
    ) throws(StoreError) -> MemoryInsert.Check.Resolution {
        guard case .update(let assignments, let condition) = upsert.action else { return .conflict(.ignore) }
        var scope = table.definition.scope
        if let alias = insert.alias { scope.table = SQLIdentifier(alias) }
        scope.hasExcluded = true
        var binder = SQLBinder(scope)
        updates.append(
            MemoryInsert.ConflictUpdate(
                assignments: try self.assignments(assignments, table, &binder),
                condition: try constant(condition, &binder)))
        return .update(updates.count - 1)
    }

    /// The key with exactly these columns, in any order; nil for the rowid.
    private func key(_ target: [SQLName], _ table: MemoryTable, _ offset: Int) throws(StoreError) -> Int? {
        let scope = table.definition.scope
        var columns: [Int] = []
        for name in target {
            switch scope.resolve(name) {
            case .column(let index): columns.append(index)
            case .rowid where target.count == 1: return nil
            case .rowid:
                guard let column = scope.rowidColumn else { throw .unmatchedConflictTarget(at: offset) }
                columns.append(column)
            case .unknown where name.isTextOtherwise:
                // A text, as in any expression, and so no constraint's.
                throw .unmatchedConflictTarget(at: offset)
            case .excluded, .unknown:
                throw .noSuchColumn(name.name, in: table.definition.name.text, at: name.offset)
            }
        }
        let key = table.keys.firstIndex { $0.columns.count == columns.count && Set($0.columns) == Set(columns) }
        guard let key else { throw .unmatchedConflictTarget(at: offset) }
        return key
    }
}
