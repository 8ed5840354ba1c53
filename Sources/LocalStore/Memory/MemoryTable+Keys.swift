extension MemoryTable {
    /// The row that has these values in the columns of a key; nil when there is none, and for NULL.
    func row(key: Int, values: [SQLValue]) -> Int? {
        guard let hash = seed.hash(values) else { return nil }
        let columns = keys[key].columns
        return keys[key].index.row(hash: hash) { row in
            zip(columns, values).allSatisfy { SQLValue.order(value(row: row, column: $0), $1) == 0 }
        }
    }

    /// Puts a row into the hash of every key, or takes it out.
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
        for row in 0..<placeCount where isLive(row) { index(row) }
    }

    private func hash(of row: Int, _ key: Int) -> UInt32? {
        let columns = keys[key].columns
        // One text is what most keys are; it needs no values in between.
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
