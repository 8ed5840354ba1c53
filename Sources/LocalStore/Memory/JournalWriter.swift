/// Writes one transaction to a journal, frame by frame; the last one commits it.
struct JournalWriter {
    private let file: JournalFile
    private var records: [UInt8] = []
    /// How many bytes were written.
    private(set) var count = 0

    init(_ file: JournalFile) { self.file = file }

    /// Writes what the transaction under way came to: for each row that it touched, what the row is now.
    mutating func writeChanges(of database: MemoryDatabase) throws(StoreError) {
        writeDefinitions(of: database)
        for entry in database.undo.entries {
            switch entry {
            case .inserted(let table, let first, let count), .deleted(let table, let first, let count):
                for row in first..<first + count { try write(row, table, database) }
            case .revived(let table, let row, _): try write(row, table, database)
            case .updated(let table, let row, let rowid, _):
                if let changed = database.tables[table], changed.rowid(row: row) != rowid {
                    JournalRecord.append(delete: rowid, from: changed.id, to: &records)
                }
                try write(row, table, database)
            case .created, .dropped, .redefined: break
            }
        }
        try flush(isLast: true)
    }

    /// Writes the whole state.
    mutating func writeAll(of database: MemoryDatabase) throws(StoreError) {
        for case let table? in database.tables {
            JournalRecord.append(table: table, to: &records)
            for row in table.orderedRows() {
                JournalRecord.append(row: Int(row), of: table, to: &records)
                try flushIfLarge()
            }
        }
        try flush(isLast: true)
    }

    private mutating func writeDefinitions(of database: MemoryDatabase) {
        for entry in database.undo.entries {
            if case .dropped(let table) = entry { JournalRecord.append(drop: table.id, to: &records) }
        }
        for entry in database.undo.entries {
            switch entry {
            case .created(let slot), .redefined(let slot, _):
                if let table = database.tables[slot] { JournalRecord.append(table: table, to: &records) }
            default: break
            }
        }
    }

    private mutating func write(_ row: Int, _ slot: Int, _ database: MemoryDatabase) throws(StoreError) {
        guard let table = database.tables[slot] else { return }
        if table.isLive(row) {
            JournalRecord.append(row: row, of: table, to: &records)
        } else {
            JournalRecord.append(delete: table.rowid(row: row), from: table.id, to: &records)
        }
        try flushIfLarge()
    }

    private mutating func flushIfLarge() throws(StoreError) {
        if records.count >= JournalFrame.targetSize { try flush(isLast: false) }
    }

    private mutating func flush(isLast: Bool) throws(StoreError) {
        guard records.count < Int(UInt32.max) else {
            throw StoreError(.tooLarge, "A row is too large for the journal.")
        }
        let frame = JournalFrame.framed(records, isLast: isLast)
        try file.append(frame)
        count += frame.count
        records.removeAll(keepingCapacity: true)
    }
}
