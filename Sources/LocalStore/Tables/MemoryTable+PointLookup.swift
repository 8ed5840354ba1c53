import StoreCore

extension MemoryTable {
    /// Appends the row with a key to a result set, if there is one.
    ///
    /// It changes nothing. As a mutating method it accesses the table in place; a nonmutating one would retain its
    /// arrays first, which costs as much as the rest of the lookup.
    /// - Parameters:
    ///   - key: index of the key; nil for the rowid.
    ///   - columns: the columns to copy; nil for the rowid.
    mutating func copyRow(
        key: Int?, _ value: StoreValue, _ columns: [Int?], to resultSet: inout ResultSet
    ) throws(StoreError) {
        guard let row = try find(key, value) else { return }
        resultSet.reserve(1)
        // All cells before any bytes: they are far apart in memory, so their cache misses overlap.
        for column in columns {
            if let column {
                resultSet.append(self.columns[column].cell(at: row))
            } else {
                resultSet.append(rowids[row])
            }
        }
        for (index, column) in columns.enumerated() {
            if let column { try self.columns[column].copyBytes(ofCell: index, in: &resultSet) }
        }
        resultSet.endRow()
    }

    /// The first row with this rowid or a larger one, by binary search; the table must be ordered.
    func firstRow(from rowid: Int64) -> Int {
        var (low, high) = (0, rowids.count)
        while low < high {
            let middle = (low + high) / 2
            if rowids[middle] < rowid { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Appends one cell to a result set.
    /// - Parameter column: nil for the rowid.
    func copyCell(row: Int, column: Int?, to resultSet: inout ResultSet) throws(StoreError) {
        guard let column else { return resultSet.append(rowids[row]) }
        try resultSet.append(columns[column].cell(at: row), in: columns[column].arena)
    }

    private mutating func find(_ key: Int?, _ value: StoreValue) throws(StoreError) -> Int? {
        switch (key, value) {
        case (nil, .integer(let rowid)): return row(rowid: rowid)
        case (let key?, .integer(let number)):
            return keys[key].index.row(number, in: &columns[keys[key].columns[0]])
        case (let key?, .text(var text)):
            return text.withUTF8 { bytes in
                keys[key].index.row(UnsafeRawBufferPointer(bytes), in: &columns[keys[key].columns[0]])
            }
        default: return nil
        }
    }
}

extension HashIndex {
    // `inout` only avoids retaining the columns; nothing is changed.

    /// The row with a number in a column of numeric affinity.
    fileprivate func row(_ number: Int64, in column: inout MemoryColumn) -> Int? {
        row(hash: seed.hash(UInt64(bitPattern: number))) { row in
            let cell = column.cell(at: row)
            return switch cell.kind {
            case .integer: cell.integer == number
            case .real: SQLValue.order(number, cell.real) == 0
            default: false
            }
        }
    }

    /// The row with a text in a column of text affinity.
    fileprivate func row(_ text: UnsafeRawBufferPointer, in column: inout MemoryColumn) -> Int? {
        row(hash: seed.hash(text)) { row in
            let cell = column.cell(at: row)
            guard cell.kind == .text, cell.count == text.count else { return false }
            return column.arena.withUnsafeBytes { SQLValue.order(cell.bytes(in: $0), text) == 0 }
        }
    }
}

extension MemoryColumn {
    /// Copies the bytes of a cell that was appended to a result set, if it has any. Mutating for the same reason as
    /// ``MemoryTable/copyRow(key:_:_:to:)``.
    @inline(__always)
    fileprivate mutating func copyBytes(ofCell index: Int, in resultSet: inout ResultSet) throws(StoreError) {
        try resultSet.copyBytes(ofCell: index, from: arena)
    }
}
