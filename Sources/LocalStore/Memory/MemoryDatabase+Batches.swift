extension MemoryDatabase {
    /// - Returns: how many rows were inserted or updated.
    mutating func upsert(_ batch: RowBatch, into slot: Int) throws(StoreError) -> Int {
        let loader = try MemoryBatch(batch, into: try table(slot).definition)
        return try withTable(slot) { table, undo throws(StoreError) in try loader.upsert(into: &table, &undo) }
    }

    /// - Returns: how many rows were deleted.
    mutating func delete(_ keys: RowBatch, from slot: Int) throws(StoreError) -> Int {
        let definition = try table(slot).definition
        var columns: [Int] = []
        for column in keys.columns { columns.append(try definition.index(of: column)) }
        return try withTable(slot) { table, undo throws(StoreError) in
            let rows = Self.rows(of: table, columns, keys)
            for row in rows { table.delete(row, &undo) }
            return rows.count
        }
    }

    /// The rows that have in these columns the values of one of a batch's rows.
    private static func rows(of table: borrowing MemoryTable, _ columns: [Int], _ batch: RowBatch) -> Set<Int> {
        let definition = table.definition
        let wanted = (0..<batch.rowCount).map { row in
            columns.indices.map { definition.affinities[columns[$0]].compared(batch.sqlValue(row: row, column: $0)) }
        }
        if columns.count == 1, columns[0] == definition.rowidColumn {
            return Set(wanted.compactMap { $0[0].exactInteger.flatMap { table.row(rowid: $0) } })
        }
        if let key = table.keys.firstIndex(where: { $0.columns == columns }) {
            return Set(wanted.compactMap { table.row(key: key, values: $0) })
        }
        // Any other columns: one walk over the table, with a hash of what is wanted.
        var index = HashIndex(table.seed)
        func match(_ values: [SQLValue], _ hash: UInt32) -> Int? {
            index.row(hash: hash) { place in
                zip(wanted[place], values).allSatisfy { SQLValue.order($0, $1) == 0 }
            }
        }
        for (place, values) in wanted.enumerated() {
            // Once each: equal ones would stand in a row.
            if let hash = index.seed.hash(values), match(values, hash) == nil { index.insert(place, hash: hash) }
        }
        var rows: Set<Int> = []
        for row in 0..<table.placeCount where table.isLive(row) {
            let values = columns.map { table.value(row: row, column: $0) }
            if let hash = index.seed.hash(values), match(values, hash) != nil { rows.insert(row) }
        }
        return rows
    }
}

extension RowBatch {
    func sqlValue(row: Int, column: Int) -> SQLValue {
        SQLValue(cells[row * columns.count + column], in: arena)
    }
}

extension SQLValue {
    /// The integer that the value is equal to.
    var exactInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }
}
