import Foundation
import HTTPMessages

/// Tables of a response: snapshots of the content, and what of it is sent.
struct TableDocument: Sendable {
    enum Form: Hashable, Sendable {
        /// `data`, without `hhive_id`: a resource that is not cached.
        case plain
        /// `data`, with `hhive_id`.
        case full
        /// `insert_rows` and `delete_ids` since a revision; nil for since nothing.
        case delta(since: Int?)
    }

    struct Table: Sendable {
        let name: String
        var sentName: String
        let content: any TableContent
        /// Nil for all rows.
        let matches: (@Sendable ([JSONValue]) -> Bool)?
        var hasExtraCell = false
    }

    var tables: [Table]
    let form: Form
    let revision: Int
    /// The number of the first byte that is sent.
    var offset = 0
    /// The number of bytes after which the document ends; nil for its own end.
    var limit: Int?

    mutating func damage(_ name: String, _ fault: HyperHiveService.TableFault) {
        guard let index = tables.firstIndex(where: { $0.name == name }) else { return }
        switch fault {
        case .missing: tables.remove(at: index)
        case .renamed(let other): tables[index].sentName = other
        case .extraCell: tables[index].hasExtraCell = true
        }
    }

    /// Whether the document has a byte at the offset.
    var hasByteAtOffset: Bool { TableReader(self).read(atMost: 1) != nil }
}

extension TableDocument.Table {
    /// The id of a slot's row if it belongs to the response.
    func id(at slot: Int, revision: Int) -> Int64? {
        guard let id = content.id(at: slot, revision: revision) else { return nil }
        guard let matches else { return id }
        return matches(content.cells(at: slot, revision: revision)) ? id : nil
    }
}
