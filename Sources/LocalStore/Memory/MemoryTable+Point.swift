extension MemoryTable {
    /// Adds the row of a key to an answer, if there is one.
    ///
    /// It changes nothing. As a mutating method it works on the table in place, where another one would retain its parts
    /// first, which costs as much as all the rest.
    /// - Parameters:
    ///   - key: which one; nil is the rowid.
    ///   - columns: which ones; nil is the rowid.
    mutating func copyRow(
        key: Int?, _ value: StoreValue, _ columns: [Int?], to answer: inout MemoryAnswer
    ) throws(StoreError) {
        guard let row = try find(key, value) else { return }
        answer.reserve(1)
        // All cells first: they lie far apart, and so the processor fetches them side by side.
        for column in columns {
            if let column { answer.append(self.columns[column].cell(at: row)) } else { answer.append(rowids[row]) }
        }
        for (place, column) in columns.enumerated() {
            if let column { try self.columns[column].copyBytes(ofCell: place, in: &answer) }
        }
        answer.endRow()
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
    // Mutable arguments only lead to columns in their place; nothing is changed.

    /// The row that has a number in a column which keeps numbers as integers where it can.
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

    /// The row that has a text in a column which keeps texts.
    fileprivate func row(_ text: UnsafeRawBufferPointer, in column: inout MemoryColumn) -> Int? {
        row(hash: seed.hash(text)) { row in
            let cell = column.cell(at: row)
            guard cell.kind == .text, cell.count == text.count else { return false }
            return column.arena.withUnsafeBytes { SQLValue.order(cell.bytes(in: $0), text) == 0 }
        }
    }
}

extension MemoryColumn {
    /// Copies the bytes of a cell that was added to an answer, if it has any. Mutating for the reason that
    /// ``MemoryTable/copyRow(key:_:_:to:)`` is.
    @inline(__always)
    fileprivate mutating func copyBytes(ofCell place: Int, in answer: inout MemoryAnswer) throws(StoreError) {
        try answer.copyBytes(ofCell: place, from: arena)
    }
}
