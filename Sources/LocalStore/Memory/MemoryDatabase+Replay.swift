extension MemoryDatabase {
    /// Does again what a journal tells, transaction by transaction.
    /// - Returns: how many bytes of it belong to transactions that were committed.
    mutating func replay(_ journal: UnsafeRawBufferPointer) throws(StoreError) -> Int {
        let head = JournalFrame.head.count
        guard journal.prefix(head).elementsEqual(JournalFrame.head) else { throw MemoryJournal.noJournal }
        var rest = UnsafeRawBufferPointer(rebasing: journal[head...])
        var committed = head
        var frames: [UnsafeRawBufferPointer] = []
        var places: [UInt32: Int] = [:]
        reading: while true {
            switch JournalFrame.next(rest) {
            case .end, .torn: break reading
            case .corrupt: throw Self.corruptJournal
            case .frame(let records, let isLast, let behind):
                frames.append(records)
                rest = behind
                guard isLast else { continue }
                for frame in frames { try apply(frame, &places) }
                frames = []
                undo.removeAll()
                committed = journal.count - rest.count
            }
        }
        didReplay()
        return committed
    }

    private mutating func apply(
        _ records: UnsafeRawBufferPointer, _ places: inout [UInt32: Int]
    ) throws(StoreError) {
        var reader = JournalReader(records)
        while !reader.isAtEnd {
            guard let record = JournalRecord(&reader) else { throw Self.corruptJournal }
            switch record {
            case .table(let id, let catalogRowid, let text):
                let definition = try MemoryTableDefinition(try SQLParser.table(text))
                if let slot = places[id] {
                    try redefineAgain(slot, definition)
                } else {
                    places[id] = restore(definition, id: id, catalogRowid: catalogRowid)
                }
            case .drop(let id): if let slot = places.removeValue(forKey: id) { forget(slot) }
            case .row(let id, let rowid, var values):
                guard let slot = places[id] else { throw Self.corruptJournal }
                try withTable(slot) { table, undo throws(StoreError) in
                    guard values.count == table.columns.count else { throw Self.corruptJournal }
                    guard let row = table.row(rowid: rowid) else {
                        return try table.insert(values, rowid: rowid, &undo)
                    }
                    if let column = table.definition.rowidColumn { values[column] = .integer(rowid) }
                    let changes = values.enumerated().filter { $0.offset != table.definition.rowidColumn }
                    try table.update(row, changes.map { ($0.offset, $0.element) }, rowid: rowid, &undo)
                }
            case .delete(let id, let rowid):
                guard let slot = places[id] else { continue }
                try withTable(slot) { table, undo throws(StoreError) in
                    if let row = table.row(rowid: rowid) { table.delete(row, &undo) }
                }
            }
        }
    }

    private static let corruptJournal = StoreError(.corrupt, "The journal is damaged before its end.")
}
