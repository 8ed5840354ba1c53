import StoreCore

/// Writes one transaction to a journal, frame by frame; the last frame commits it.
struct JournalWriter {
    private let file: JournalFile
    private let transaction: UInt32
    private let salt: UInt32
    private let configuration: MemoryJournalConfiguration
    private let start: Int
    /// Number of bytes written.
    private(set) var count = 0
    /// Current frame: space for the header, then records.
    private var frame = [UInt8](repeating: 0, count: JournalFrame.headerSize)

    init(
        _ file: JournalFile, at start: Int, transaction: UInt32, salt: UInt32,
        _ configuration: MemoryJournalConfiguration
    ) {
        self.file = file
        self.start = start
        self.transaction = transaction
        self.salt = salt
        self.configuration = configuration
    }

    /// Writes the current transaction: the final state of each row in its undo log.
    mutating func writeChanges(of database: MemoryDatabase) throws(StoreError) {
        writeDefinitions(of: database)
        for entry in database.undo.entries {
            switch entry {
            case .inserted(let table, let first, let count), .deleted(let table, let first, let count):
                for row in first..<first + count { try write(row, table, database) }
            case .revived(let table, let row, _): try write(row, table, database)
            case .updated(let table, let row, let rowid, _):
                if let changed = database.tables[table], changed.rowid(row: row) != rowid {
                    JournalRecord.append(delete: rowid, from: changed.id, to: &frame)
                }
                try write(row, table, database)
            case .replaced(let old):
                for row in try database.tables[old.slot]?.orderedRows() ?? [] {
                    try write(Int(row), old.slot, database)
                }
            case .created, .dropped, .redefined, .userVersion: break
            }
        }
        try flush(isLast: true)
    }

    /// Writes the complete state of the database.
    mutating func writeAll(of database: MemoryDatabase) throws(StoreError) {
        if database.userVersion != 0 { JournalRecord.append(userVersion: database.userVersion, to: &frame) }
        for case let table? in database.tables {
            JournalRecord.append(table: table, to: &frame)
            for row in try table.orderedRows() {
                JournalRecord.append(row: Int(row), of: table, to: &frame)
                try flushIfLarge()
            }
        }
        try flush(isLast: true)
    }

    private mutating func writeDefinitions(of database: MemoryDatabase) {
        for entry in database.undo.entries {
            switch entry {
            case .dropped(let table), .replaced(let table): JournalRecord.append(drop: table.id, to: &frame)
            default: break
            }
        }
        for entry in database.undo.entries {
            switch entry {
            case .created(let slot), .redefined(let slot, _):
                if let table = database.tables[slot] { JournalRecord.append(table: table, to: &frame) }
            case .replaced(let old):
                if let table = database.tables[old.slot] { JournalRecord.append(table: table, to: &frame) }
            case .userVersion: JournalRecord.append(userVersion: database.userVersion, to: &frame)
            default: break
            }
        }
    }

    private mutating func write(_ row: Int, _ slot: Int, _ database: MemoryDatabase) throws(StoreError) {
        guard let table = database.tables[slot] else { return }
        if table.isLive(row) {
            JournalRecord.append(row: row, of: table, to: &frame)
        } else {
            JournalRecord.append(delete: table.rowid(row: row), from: table.id, to: &frame)
        }
        try flushIfLarge()
    }

    private mutating func flushIfLarge() throws(StoreError) {
        if frame.count >= configuration.frameSize { try flush(isLast: false) }
    }

    private mutating func flush(isLast: Bool) throws(StoreError) {
        guard frame.count - JournalFrame.headerSize <= Int(UInt32.max) else {
            throw StoreError(.tooLarge, "Row exceeds the journal's limit of 4 GiB; split its values.")
        }
        // Flushes the earlier frames first: once a committing frame is on disk, an invalid frame before it counts as
        // corruption, which a power failure must not be able to cause.
        if isLast, count > 0, configuration.isSynchronous { try file.synchronize() }
        JournalFrame.seal(&frame, transaction: transaction, isLast: isLast, at: start + count, salt: salt)
        try file.write(frame, at: start + count)
        count += frame.count
        frame.removeLast(frame.count - JournalFrame.headerSize)
    }
}
