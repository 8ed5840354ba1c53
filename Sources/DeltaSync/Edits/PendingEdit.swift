public import StoreCore

/// An edit that waits until its request was sent, with both sides of its row.
public struct PendingEdit: Hashable, Sendable {
    /// The ID that the edit was added with.
    public let id: String
    /// The table.
    public let table: SQLIdentifier
    /// The primary key of the row.
    public let key: ColumnValues
    /// True when the edit deletes the row.
    public let isDeletion: Bool
    /// The columns that the edit has changed, with their values; empty for a deletion.
    public let changes: ColumnValues
    /// The values that these columns had before; empty for a row that the edit has inserted. Of a
    /// deletion those of the row.
    public let base: ColumnValues
    /// The server's row as far as it is known; nil if the server has none.
    public let server: ColumnValues?
    /// The row as this edit leaves it on top of the server's row; nil if it is deleted.
    public let local: ColumnValues?
    /// The column with the row's version at the server; nil without one.
    public let versionColumn: SQLIdentifier?
    /// The version of the server's row that the edit was made from, for `If-Match`; nil if unknown.
    public let rowVersion: StoreValue?
    /// The whole row when the edit was made, without its version: what a request with the whole row sends.
    package let row: ColumnValues

    /// True if a row of the server has the cells that the edit leads to; the version does not count.
    package func leads(to server: ColumnValues?) -> Bool {
        guard let server, !isDeletion else { return server == nil && isDeletion }
        return server.allSatisfy { $0.key == versionColumn || row[$0.key] == nil || row[$0.key].means($0.value) }
    }

    /// The cells to change after a decision: some that the app has merged, on top of the changes without a conflict.
    package func changes(merging cells: ColumnValues) -> ColumnValues {
        changes.without(conflictingColumns ?? []).merging(cells) { $1 }
    }

    /// The same edit on top of another row of the server; cells that it lacks keep the values that were known.
    package func seeing(_ current: ColumnValues?) -> PendingEdit {
        let server = current.map { current in (self.server ?? [:]).merging(current) { $1 } }
        return PendingEdit(
            id: id, table: table, key: key, isDeletion: isDeletion, changes: changes, base: base, server: server,
            local: isDeletion ? nil : (server ?? local ?? [:]).merging(changes) { $1 }, versionColumn: versionColumn,
            rowVersion: rowVersion, row: row)
    }

    /// The columns that were changed here and at the server, to different values. A row that was deleted on one side
    /// and changed on the other has `nil`. Two forms of one date, or of one JSON list or object, are the same value.
    public var conflictingColumns: Set<SQLIdentifier>? {
        guard let server, !isDeletion else { return nil }
        return Set(changes.filter { !server[$0.key].means(base[$0.key]) && !server[$0.key].means($0.value) }.map(\.key))
    }

    /// True when the server's row has all that the edit has changed.
    public var isAtServer: Bool {
        guard let server else { return isDeletion }
        return !isDeletion && !changes.isEmpty
            && changes.allSatisfy { column, value in
                // An edit may change only the form of a value, such as the zone of a time.
                let current = server[column]
                return current == value || current.means(value) && current != base[column]
            }
    }
}
