import StoreCore

extension MemoryDatabase {
    /// - Returns: the rowid of the last row; nil for an empty batch.
    mutating func insert(_ batch: RowBatch, into slot: Int) throws(StoreError) -> Int64? {
        let loader = try BatchLoader(batch, into: try table(slot).definition, needsKey: false, interruption)
        try willInsert(into: slot)
        return try withTable(slot) { table, undo throws(StoreError) in try loader.insert(into: &table, &undo) }
    }

    /// - Returns: number of rows inserted or updated.
    mutating func upsert(_ batch: RowBatch, into slot: Int) throws(StoreError) -> Int {
        let loader = try BatchLoader(batch, into: try table(slot).definition, needsKey: true, interruption)
        return try withTable(slot) { table, undo throws(StoreError) in try loader.upsert(into: &table, &undo) }
    }

    /// - Returns: number of rows deleted.
    mutating func delete(_ keys: RowBatch, from slot: Int) throws(StoreError) -> Int {
        let definition = try table(slot).definition
        var columns: [Int] = []
        for column in keys.columns { columns.append(try definition.index(of: column)) }
        let interruption = interruption
        return try withTable(slot) { table, undo throws(StoreError) in
            let rows = try Self.rows(of: table, columns, keys, interruption)
            for (index, row) in rows.enumerated() {
                table.delete(row, &undo)
                try interruption.check(afterRow: index)
            }
            return rows.count
        }
    }

    /// The rows whose values in these columns equal those of a row of the batch.
    private static func rows(
        of table: borrowing MemoryTable, _ columns: [Int], _ batch: RowBatch, _ interruption: StatementInterruption
    ) throws(StoreError) -> Set<Int> {
        let definition = table.definition
        var keyValues: [[SQLValue]] = []
        for row in 0..<batch.rowCount {
            keyValues.append(
                columns.indices.map {
                    definition.affinities[columns[$0]].compared(batch.sqlValue(row: row, column: $0))
                })
            try interruption.check(afterRow: row)
        }
        var rows: Set<Int> = []
        func lookUp(_ row: ([SQLValue]) -> Int?) throws(StoreError) {
            for (index, values) in keyValues.enumerated() {
                if let row = row(values) { rows.insert(row) }
                try interruption.check(afterRow: index)
            }
        }
        if columns.count == 1, columns[0] == definition.rowidColumn {
            try lookUp { $0[0].exactInteger.flatMap { table.row(rowid: $0) } }
            return rows
        }
        if let key = table.keys.firstIndex(where: { $0.columns == columns }) {
            try lookUp { table.row(key: key, values: $0) }
            return rows
        }
        // No index for these columns: a hash join, with the batch as the build side and one scan of the table.
        var index = HashIndex(table.seed)
        func match(_ values: [SQLValue], _ hash: UInt32) -> Int? {
            index.row(hash: hash) { keyIndex in
                zip(keyValues[keyIndex], values).allSatisfy { SQLValue.order($0, $1) == 0 }
            }
        }
        for (keyIndex, values) in keyValues.enumerated() {
            // Duplicates are skipped: equal hashes would form a long probe run.
            if let hash = index.seed.hash(values), match(values, hash) == nil { index.insert(keyIndex, hash: hash) }
        }
        for row in 0..<table.physicalRowCount {
            // Also of deleted rows, or a check could be left out each time.
            try interruption.check(afterRow: row)
            guard table.isLive(row) else { continue }
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
    /// The integer that equals the value; nil if there is none.
    var exactInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }
}
