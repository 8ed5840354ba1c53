import StoreCore

/// A row with its edits: a value without I/O.
///
/// The row that the app sees is the server's row with the edits on top, in their order. An edit that was sent counts as
/// part of the server's row, and stays on top until a delta comes that was certainly requested later: one whose request
/// was made from another version than the stored one at that time.
///
/// ```
/// waiting -sent->          sent, or removed if the table has no version
/// waiting -discarded->     removed
/// sent    -later delta->   removed
/// ```
struct EditedRow: Hashable, Sendable {
    /// One edit.
    struct Edit: Hashable, Sendable {
        var number: Int64
        var id: String
        var isDeletion: Bool
        /// The whole row after the edit, for a row that the server does not have.
        var row: ColumnValues
        /// The columns that it has changed, with the values before it.
        var changed: Set<SQLIdentifier>
        var base: ColumnValues
        var versionColumn: SQLIdentifier?
        var isSent: Bool
        /// The stored version of the table when it was sent.
        var version: String?

        func applied(to other: ColumnValues?) -> ColumnValues? {
            guard !isDeletion else { return nil }
            guard let other else { return row }
            return other.merging(row.filter { changed.contains($0.key) }) { $1 }
        }
    }

    var number: Int64
    var table: SQLIdentifier
    var key: ColumnValues
    /// The binding of the table's rows; nil before the first full load.
    var binding: String?
    var server: ColumnValues?
    var edits: [Edit]

    /// What the app sees; nil for a deleted row.
    var visible: ColumnValues? { edits.reduce(server) { $1.applied(to: $0) } }

    /// The edit was sent, and is part of the server's row now.
    mutating func sent(_ id: String, at version: String?, isSynchronized: Bool, rowVersion: StoreValue?) {
        for index in edits.indices where edits[index].id == id && !edits[index].isSent {
            server = edits[index].applied(to: server)
            if let column = edits[index].versionColumn, let rowVersion {
                server?[column] = rowVersion
                // Those that were made on top of this one.
                let version = edits[index].row[column]
                for later in edits.indices where later > index && edits[later].row[column] == version {
                    edits[later].row[column] = rowVersion
                }
            }
            (edits[index].isSent, edits[index].version) = (true, version)
        }
        if !isSynchronized { edits.removeAll { $0.id == id && $0.isSent } }
    }

    /// Removes what was sent before a delta's request.
    /// - Parameter version: the version that the request was made from.
    mutating func removeSent(before version: String?) { edits.removeAll { $0.isSent && $0.version != version } }

    /// The edit is made from another row of the server, or from none.
    /// - Parameter row: cells that the edit shall lead to, if the app has merged both.
    mutating func rebase(_ id: String, onto server: ColumnValues?, amending row: ColumnValues?) {
        self.server = server
        for index in edits.indices where edits[index].id == id && !edits[index].isSent {
            if let row {
                edits[index].isDeletion = false
                edits[index].row = (server ?? edits[index].row).merging(row) { $1 }
                edits[index].changed = Set(row.filter { server == nil || server?[$0.key] != $0.value }.map(\.key))
            }
            if let column = edits[index].versionColumn { edits[index].row[column] = server?[column] }
            edits[index].base = (server ?? [:]).filter { edits[index].changed.contains($0.key) }
        }
    }

    /// The waiting edits, for the app.
    var pending: [PendingEdit] {
        var row = server
        return edits.compactMap { edit in
            row = edit.applied(to: row)
            guard !edit.isSent else { return nil }
            return PendingEdit(
                id: edit.id, table: table, key: key, isDeletion: edit.isDeletion,
                changes: edit.isDeletion ? [:] : edit.row.filter { edit.changed.contains($0.key) }, base: edit.base,
                server: server, local: row, versionColumn: edit.versionColumn,
                rowVersion: edit.versionColumn.flatMap { edit.row[$0] },
                row: edit.isDeletion ? [:] : edit.row.without(edit.versionColumn.map { [$0] } ?? []))
        }
    }
}
