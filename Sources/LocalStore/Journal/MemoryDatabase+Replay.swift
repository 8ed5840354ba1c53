import StoreCore

extension MemoryDatabase {
    /// Replays a journal, transaction by transaction; an incomplete last transaction is left out.
    mutating func replay(_ journal: UnsafeRawBufferPointer) throws(StoreError) -> JournalReplay {
        var frames = try JournalFrameReader(journal)
        let isRewritten = frames.head.isRewritten
        var replay = JournalReplay(frames.head)
        var pending: [UnsafeRawBufferPointer] = []
        var slotsByID: [UInt32: Int] = [:]
        reading: while true {
            switch frames.next() {
            case .end, .torn: break reading
            case .unwritten:
                replay.mayHaveLostCommits = true
                break reading
            case .corrupt: throw Self.corruptJournal
            case .frame(let records, let isLast):
                pending.append(records)
                guard isLast else { continue }
                for records in pending { try apply(records, &slotsByID) }
                pending = []
                didCommit()
                replay.size = frames.offset
                if isRewritten, replay.transaction == 1 { replay.baseSize = frames.offset }
                replay.transaction = frames.transaction
            }
        }
        replay.uncommittedFrames = pending.count
        replay.tornBytes = journal.count - frames.offset
        replay.fileSize = journal.count
        guard replay.transaction > 1 || !isRewritten, finishReplay() else { throw Self.corruptJournal }
        return replay
    }

    private mutating func apply(
        _ records: UnsafeRawBufferPointer, _ slotsByID: inout [UInt32: Int]
    ) throws(StoreError) {
        var reader = JournalDecoder(records)
        while !reader.isAtEnd {
            guard let record = JournalRecord(&reader) else { throw Self.corruptJournal }
            switch record {
            case .table(let id, let catalogRowid, let text):
                let definition = try Self.definition(text)
                if let slot = slotsByID[id] {
                    guard try replayDefinition(slot, definition) else { throw Self.corruptJournal }
                } else {
                    guard id < .max, (0..<Int64.max >> 1).contains(catalogRowid) else { throw Self.corruptJournal }
                    slotsByID[id] = restoreTable(definition, id: id, catalogRowid: catalogRowid)
                }
            case .userVersion(let version): restoreUserVersion(version)
            case .drop(let id): if let slot = slotsByID.removeValue(forKey: id) { removeTable(slot) }
            case .row(let id, let rowid, let values):
                guard let slot = slotsByID[id] else { throw Self.corruptJournal }
                try withTable(slot) { table, undo throws(StoreError) in
                    guard values.count == table.columns.count else { throw Self.corruptJournal }
                    guard let row = table.row(rowid: rowid) else {
                        try table.insert(values, rowid: rowid, &undo)
                        return
                    }
                    let changes = values.enumerated().filter { $0.offset != table.definition.rowidColumn }
                    try table.update(row, changes.map { ($0.offset, $0.element) }, rowid: rowid, &undo)
                }
            case .delete(let id, let rowid):
                guard let slot = slotsByID[id] else { continue }
                try withTable(slot) { table, undo throws(StoreError) in
                    if let row = table.row(rowid: rowid) { table.delete(row, &undo) }
                }
            }
        }
    }

    private static func definition(_ text: String) throws(StoreError) -> MemoryTableDefinition {
        do throws(StoreError) {
            return try MemoryTableDefinition(try SQLParser.table(text), isStored: true)
        } catch {
            throw corruptJournal
        }
    }

    static let corruptJournal = StoreError(
        .corrupt,
        "Journal is corrupt and was left unchanged; restore a copy, or move it away.")
}
