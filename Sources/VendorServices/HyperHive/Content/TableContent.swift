import Foundation
import HTTPMessages

/// The rows of a table at each revision of its resource.
///
/// A slot holds at most one row at a revision. A row's id (`hhive_id`) never returns after a change or deletion, so the
/// difference of two revisions is the difference of the slots' ids. The slots of a snapshot never change.
protocol TableContent: Sendable {
    var slotCount: Int { get }
    /// The id of the slot's row; nil if it has none at this revision.
    func id(at slot: Int, revision: Int) -> Int64?
    /// The cells of the slot's row, which exists at this revision.
    func cells(at slot: Int, revision: Int) -> [JSONValue]
    /// Appends the same cells as JSON, each with a comma before it.
    func append(at slot: Int, revision: Int, to output: inout [UInt8])
}

extension TableContent {
    func append(at slot: Int, revision: Int, to output: inout [UInt8]) {
        for cell in cells(at: slot, revision: revision) {
            output.append(UInt8(ascii: ","))
            output.append(contentsOf: cell.description.utf8)
        }
    }
}

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
