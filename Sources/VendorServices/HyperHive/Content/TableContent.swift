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
