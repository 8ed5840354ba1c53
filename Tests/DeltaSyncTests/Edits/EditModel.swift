import Foundation
import StoreCore

@testable import DeltaSync

/// What the rows of one user are, here and at the server: the model of a random run.
struct EditModel {
    typealias Table = [Int64: ColumnValues]
    struct Change {
        let key: Int64
        /// The changed cells; nil for a deletion.
        var cells: ColumnValues?
        /// True if the app saw no such row: the other cells are null, also if a deletion before it is discarded.
        var isInsertion = false
    }
    /// The changes of one ID, which are sent in one request.
    struct Batch {
        let id: String
        var changes: [Change]
        /// The version that the app saw of the first row before any other edit of it; nil if unknown.
        var version: StoreValue?
        /// The version of the first row after the request; nil if it has none.
        var sentVersion: StoreValue?
        /// True once the server may have seen the request, so that it gets no further change.
        var isTouched = false
        /// True if the server has performed it, and its response was lost.
        var isPerformed = false

        var keys: Set<Int64> { Set(changes.map(\.key)) }
    }

    static let version: SQLIdentifier = "version"
    static let columns: Set<SQLIdentifier> = ["label", "gain"]
    private static let emptyRow: ColumnValues = ["label": .null, "gain": .null]

    /// The server's states; the last one is that of now.
    private(set) var history: [Table] = [[:]]
    /// What the app sees if only this app changes anything,
    private(set) var mine: Table = [:]
    /// The edits that were not sent.
    var queue: [Batch] = []
    /// The edits that the server has, and whose response has not come.
    var inFlight: [Batch] = []

    var now: Table { history[history.count - 1] }
    var unsettled: [Batch] { inFlight + queue }

    mutating func edit(_ change: Change) { Self.apply(change, to: &mine) }

    /// The server performs changes, each of which gives its row a new version.
    mutating func perform(_ changes: [Change]) {
        var table = now
        for change in changes {
            Self.apply(change, to: &table)
            table[change.key]?[Self.version] = .integer(Int64(history.count))
        }
        history.append(table)
    }

    /// True if the server refuses a request for a version of a row; one without a version is performed.
    func refuses(_ version: StoreValue?, of key: Int64) -> Bool {
        guard let version, version != .null else { return false }
        return now[key]?[Self.version] != version
    }

    /// Another version of the same rows.
    mutating func repeatVersion() { history.append(now) }

    /// The last unsettled change of each cell; nil for a row that is deleted.
    var expected: [Int64: ColumnValues?] {
        var cells: [Int64: ColumnValues?] = [:]
        for change in unsettled.flatMap(\.changes) {
            let earlier = cells[change.key] ?? [:]
            cells[change.key] = change.cells.map { change.isInsertion ? $0 : (earlier ?? [:]).merging($0) { $1 } }
        }
        return cells
    }

    private static func apply(_ change: Change, to table: inout Table) {
        guard let cells = change.cells else { return table[change.key] = nil }
        table[change.key] = (table[change.key] ?? emptyRow.merging(["id": .integer(change.key)]) { $1 })
            .merging(cells) { $1 }
    }
}
