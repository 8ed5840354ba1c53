import StoreCore

extension MemoryPlanner {
    /// The uniqueness checks of an INSERT in SQLite's order, with the resolutions of its ON CONFLICT clauses.
    ///
    /// The constraints that clauses name come first, in the order of the clauses; then the rowid, then the other keys
    /// from the last one. Without a clause that names another constraint first, the rowid comes before all keys.
    ///
    /// As in SQLite, mistakes in a DO UPDATE that no conflict can reach are not found: that of a constraint that an
    /// earlier clause names, of a rowid that the store chooses, or of a table without constraints.
    func conflictChecks(
        of insert: SQLInsert, _ columns: [Int?], _ table: MemoryTable
    ) throws(StoreError) -> ([MemoryInsert.Check], [MemoryInsert.ConflictUpdate]) {
        var clauses: [(key: Int?, upsert: SQLUpsert?)] = []
        for upsert in insert.upserts {
            guard let target = upsert.target else { continue }
            let key = try self.key(target, table, upsert.offset)
            // Of two clauses for one constraint, the first decides.
            if !clauses.contains(where: { $0.key == key }) { clauses.append((key, upsert)) }
        }
        // The last clause may be for all other constraints.
        let rest = insert.upserts.last.flatMap { $0.target == nil ? $0 : nil }
        for check in MemoryInsert.Check.all(keyCount: table.keys.count, insert.conflict)
        where !clauses.contains(where: { $0.key == check.key }) {
            clauses.append((check.key, rest))
        }
        if !columns.contains(table.definition.rowidColumn) { clauses.removeAll { $0.key == nil } }
        var checks: [MemoryInsert.Check] = []
        var updates: [MemoryInsert.ConflictUpdate] = []
        for (key, upsert) in clauses {
            let resolution = try resolution(of: upsert, insert, table, &updates)
            checks.append(MemoryInsert.Check(key: key, resolution: resolution))
        }
        return (checks, updates)
    }

    private func resolution(
        of upsert: SQLUpsert?, _ insert: SQLInsert, _ table: MemoryTable,
        _ updates: inout [MemoryInsert.ConflictUpdate]
    ) throws(StoreError) -> MemoryInsert.Check.Resolution {
        guard let upsert else { return .conflict(insert.conflict) }
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
