import Foundation
import HTTPMessages

/// Rows in memory; a changed row gets a new slot.
struct StoredRows: TableContent {
    struct Row {
        let id: Int64
        let cells: [JSONValue]
        /// The first revision with this row.
        let born: Int
        /// The first revision without it.
        var died: Int?
    }

    private(set) var rows: [Row] = []

    init(_ rows: [[JSONValue]]) {
        for row in rows { insert(row, at: 0) }
    }

    var slotCount: Int { rows.count }

    func id(at slot: Int, revision: Int) -> Int64? {
        let row = rows[slot]
        return row.born <= revision && revision < row.died ?? .max ? row.id : nil
    }

    func cells(at slot: Int, revision: Int) -> [JSONValue] { rows[slot].cells }

    /// The living rows.
    var current: [Row] { rows.filter { $0.died == nil } }

    @discardableResult
    mutating func insert(_ cells: [JSONValue], at revision: Int) -> Int64 {
        // Not from 1, so that they differ from usual keys of the rows' own.
        let id = Int64(rows.count) + 101
        rows.append(Row(id: id, cells: cells, born: revision))
        return id
    }

    /// Removes the living rows that satisfy a condition.
    /// - Returns: how many there were.
    @discardableResult
    mutating func delete(at revision: Int, where matches: (Row) -> Bool) -> Int {
        let slots = rows.indices.filter { rows[$0].died == nil && matches(rows[$0]) }
        for slot in slots { rows[slot].died = revision }
        return slots.count
    }
}
