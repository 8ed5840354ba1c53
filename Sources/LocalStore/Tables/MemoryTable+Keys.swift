extension MemoryTable {
    /// The row with these values in a key's columns; nil if there is none or a value is NULL.
    func row(key: Int, values: [SQLValue]) -> Int? {
        guard let hash = seed.hash(values) else { return nil }
        let columns = keys[key].columns
        return keys[key].index.row(hash: hash) { row in
            zip(columns, values).allSatisfy { SQLValue.order(value(row: row, column: $0), $1) == 0 }
        }
    }

    /// Adds a row to the hash index of every key.
    mutating func index(_ row: Int) {
        for key in keys.indices {
            if let hash = hash(of: row, key) { keys[key].index.insert(row, hash: hash) }
        }
    }

    mutating func unindex(_ row: Int) {
        for key in keys.indices {
            if let hash = hash(of: row, key) { keys[key].index.remove(row, hash: hash) }
        }
    }

    mutating func rebuildKeys() {
        for key in keys.indices {
            keys[key].index = HashIndex(seed)
            keys[key].index.reserve(rowCount)
        }
        guard !keys.isEmpty else { return }
        for row in 0..<physicalRowCount where isLive(row) { index(row) }
    }

    private func hash(of row: Int, _ key: Int) -> UInt32? {
        let columns = keys[key].columns
        // Fast path for a single text column, the most frequent key: no intermediate values.
        if columns.count == 1, columns[0] != definition.rowidColumn {
            let column = self.columns[columns[0]]
            let cell = column.cell(at: row)
            if cell.kind == .text {
                return column.arena.withUnsafeBytes {
                    seed.hash(UnsafeRawBufferPointer(rebasing: $0[cell.offset..<cell.offset + cell.count]))
                }
            }
        }
        return seed.hash(columns.map { value(row: row, column: $0) })
    }
}
