extension MemoryTable {
    /// Adds the row of a rowid to an answer, if there is one.
    ///
    /// It changes nothing. As a mutating method it works on the table in place, where another one would retain its parts
    /// first, which costs as much as all the rest.
    /// - Parameter columns: which ones; nil is the rowid.
    mutating func copyRow(_ rowid: Int64, _ columns: [Int?], to answer: inout MemoryAnswer) throws(StoreError) {
        guard let row = row(rowid: rowid) else { return }
        answer.reserve(1)
        for column in columns {
            if let column { try self.columns[column].copyCell(row, to: &answer) } else { answer.append(rowid) }
        }
        answer.endRow()
    }
}

extension MemoryColumn {
    /// Adds a cell to an answer. Mutating for the reason that ``MemoryTable/copyRow(_:_:to:)`` is.
    @inline(__always)
    mutating func copyCell(_ row: Int, to answer: inout MemoryAnswer) throws(StoreError) {
        try answer.append(self, row)
    }
}
