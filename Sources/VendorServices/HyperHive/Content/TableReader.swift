import Foundation
import HTTPMessages

/// Writes a document piece by piece; only the current piece is in memory.
///
/// ```
/// [{"name":"t","insert_rows":[[101,1,"Apple"]],"delete_ids":[99]}]
/// [{"name":"t","data":[[101,1,"Apple"]]}]
/// ```
///
/// For each table: start -> rows -> (deletions) -> next table's start; after the last one: end.
final class TableReader: HTTPBodyReader {
    private enum Phase {
        case start
        case rows
        case deletions
        case end
    }

    private let document: TableDocument
    private var phase = Phase.start
    private var table = 0
    private var slot = 0
    private var isFirst = true
    private var output: [UInt8] = []
    private var skipped = 0
    private var remaining: Int

    init(_ document: TableDocument) {
        self.document = document
        remaining = document.limit ?? .max
    }

    func read(atMost count: Int) -> Data? {
        while true {
            while output.count < count, phase != .end { advance() }
            // The bytes before the offset are produced and dropped.
            if skipped < document.offset, !output.isEmpty {
                let dropped = min(document.offset - skipped, output.count)
                output.removeFirst(dropped)
                skipped += dropped
                continue
            }
            let piece = output.prefix(min(max(1, count), remaining))
            guard !piece.isEmpty else { return nil }
            let data = Data(piece)
            output.removeFirst(data.count)
            remaining -= data.count
            return data
        }
    }

    /// Writes the next part: a frame, or the rows of some slots.
    private func advance() {
        guard table < document.tables.count else {
            write(table == 0 ? "[]" : "]")
            phase = .end
            return
        }
        switch phase {
        case .start: start()
        case .rows: if !writeSlots(writeRow) { finishRows() }
        case .deletions: if !writeSlots(writeDeletion) { finishTable("]}") }
        case .end: break
        }
    }

    private func start() {
        let name = JSONValue.string(document.tables[table].sentName).description
        write("\(table == 0 ? "[" : ","){\"name\":\(name),\"\(isDelta ? "insert_rows" : "data")\":[")
        begin(.rows)
    }

    private func finishRows() {
        guard isDelta else { return finishTable("]}") }
        write("],\"delete_ids\":[")
        begin(.deletions)
    }

    private func finishTable(_ end: String) {
        write(end)
        table += 1
        begin(.start)
    }

    private func begin(_ next: Phase) {
        phase = next
        slot = 0
        isFirst = true
    }

    private var isDelta: Bool { if case .delta = document.form { true } else { false } }

    /// Writes up to 256 slots.
    /// - Returns: false when there are no more.
    private func writeSlots(_ writeSlot: (TableDocument.Table, Int) -> Void) -> Bool {
        let current = document.tables[table]
        let end = min(slot + 256, current.content.slotCount)
        guard slot < end else { return false }
        for slot in slot..<end { writeSlot(current, slot) }
        slot = end
        return true
    }

    private func writeRow(_ table: TableDocument.Table, _ slot: Int) {
        guard let id = table.id(at: slot, revision: document.revision) else { return }
        if case .delta(let base?) = document.form, table.id(at: slot, revision: base) == id { return }
        separate()
        output.append(UInt8(ascii: "["))
        let start = output.count
        if document.form != .plain { write(",\(id)") }
        table.content.append(at: slot, revision: document.revision, to: &output)
        if table.hasExtraCell { write(",0") }
        // Each cell has a comma before it; the first one's goes.
        if output.count > start { output.remove(at: start) }
        output.append(UInt8(ascii: "]"))
    }

    private func writeDeletion(_ table: TableDocument.Table, _ slot: Int) {
        guard case .delta(let base?) = document.form, let id = table.id(at: slot, revision: base),
            table.id(at: slot, revision: document.revision) != id
        else { return }
        separate()
        write("\(id)")
    }

    private func separate() {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    private func write(_ text: String) { output.append(contentsOf: text.utf8) }
}
