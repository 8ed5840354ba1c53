import StoreCore

/// A row with its edits: a value without I/O.
///
/// The row that the app sees is the server's row with the edits on top, in their order. An edit that was sent stays on
/// top until a delta comes that was requested later.
///
/// ```
/// waiting -sent->          sent, or removed if no delta comes for the table
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
        /// The columns that it has changed, with the values before it; of a deletion those of the row. Once it was
        /// sent, and the server has responded with the row's new version, `base` also has the version before.
        var changed: Set<SQLIdentifier>
        var base: ColumnValues
        var versionColumn: SQLIdentifier?
        /// The number of its send; nil while it waits.
        var sent: Int64?
        /// The stored version of the table when it was sent.
        var version: String?
        /// The place among the edits of its ID.
        var position: Int64

        var isSent: Bool { sent != nil }

        func applied(to other: ColumnValues?) -> ColumnValues? {
            guard !isDeletion else { return nil }
            guard let other else { return row }
            var result = other.merging(row.filter { changed.contains($0.key) }) { $1 }
            // A response that was requested before the send has the version before it. Another version is of a change
            // elsewhere, and stays.
            if isSent, let versionColumn, let old = base[versionColumn], (other[versionColumn] ?? .null) == old {
                result[versionColumn] = row[versionColumn]
            }
            return result
        }

        /// The server's row once it has the edit. Cells that have changed since the edit was made came with a delta,
        /// and may be newer than the edit.
        fileprivate func settled(on server: ColumnValues?) -> ColumnValues? {
            guard let server else { return isDeletion || !base.isEmpty ? nil : row }
            if isDeletion { return base.allSatisfy { server[$0.key] == $0.value } ? nil : server }
            return server.merging(row.filter { changed.contains($0.key) && server[$0.key] == base[$0.key] }) { $1 }
        }

        /// True if the row after the edit is the same as after another one.
        fileprivate func leads(toRowOf other: Edit) -> Bool {
            isDeletion == other.isDeletion && other.row.allSatisfy { row[$0.key] == $0.value }
        }

        /// Makes an earlier edit of the same row and ID a part of this one.
        mutating func follow(_ earlier: Edit) {
            position = earlier.position
            base = base.without(earlier.changed).merging(earlier.base) { $1 }
            if !isDeletion {
                changed.formUnion(earlier.changed)
                base = base.filter { changed.contains($0.key) }
            }
            versionColumn = versionColumn ?? earlier.versionColumn
            // The earlier one was made without knowing a version that has come since.
            if let versionColumn { row[versionColumn] = earlier.row[versionColumn] }
        }
    }

    var number: Int64
    var table: SQLIdentifier
    var key: ColumnValues
    /// The binding of the table's rows; nil before the first full load.
    var binding: String?
    /// The user of the edits; empty for no user.
    var user: String
    var server: ColumnValues?
    var edits: [Edit]

    /// What the app sees; nil for a deleted row.
    var visible: ColumnValues? { edits.reduce(server) { $1.applied(to: $0) } }

    /// True if the edits belong to the rows of a binding, or for nil to rows that were never loaded.
    func belongs(to other: String?) -> Bool { DeltaBinding.has(other, editsOf: user, madeIn: binding) }

    /// The server has the edit now.
    /// - Parameters:
    ///   - number: the number of the send.
    ///   - isSynchronized: false if no delta comes for the table.
    mutating func sent(
        _ id: String, number: Int64, at version: String?, isSynchronized: Bool, rowVersion: StoreValue?
    ) {
        guard let index = edits.firstIndex(where: { $0.id == id && !$0.isSent }) else { return }
        let edit = edits[index]
        server = isSynchronized ? edit.settled(on: server) : edit.applied(to: server)
        if let column = edit.versionColumn, let new = rowVersion?.version(like: edit.row[column] ?? .null) {
            let old = edit.row[column] ?? .null
            // The row below the edit, to which earlier sent ones have brought their versions.
            let below = edits[..<index].reduce(server) { $1.applied(to: $0) } ?? server
            if (below?[column] ?? .null) == old { server?[column] = new }
            setVersion(new, from: index)
            edits[index].base[column] = old
        }
        (edits[index].sent, edits[index].version) = (number, version)
        if !isSynchronized { edits.remove(at: index) }
    }

    /// Starts from what the app sees of a row that was never loaded, without waiting edits.
    ///
    /// The app may have changed it since. What was sent leads to the same, for the first load, whose request may have
    /// been made before or between the sends.
    mutating func restart(from visible: ColumnValues?) {
        server = visible
        for index in edits.indices { edits[index].row = visible ?? edits[index].row }
        if let last = edits.indices.last { edits[last].isDeletion = visible == nil }
    }

    /// Removes what was sent before a delta's request.
    /// - Parameters:
    ///   - version: the version that the request was made from.
    ///   - count: the number of sends at that time; nil if unknown.
    mutating func removeSent(before version: String?, count: Int64?) {
        edits.removeAll { edit in
            guard let sent = edit.sent else { return false }
            return count.map { sent <= $0 } ?? (edit.version != version)
        }
    }

    /// The edit is made from another row of the server, or from none.
    ///
    /// Later edits on top of it take over the version only if it leads to the row that they were made on. Requests for
    /// them may have all cells of that row, and would else overwrite what the server has of others.
    /// - Parameters:
    ///   - isNewer: false if a delta has brought another row of the server since the edit was read.
    ///   - row: cells that the edit shall lead to, if the app has merged both.
    mutating func rebase(_ id: String, onto server: ColumnValues?, isNewer: Bool, amending row: ColumnValues?) {
        if isNewer { self.server = server }
        guard let index = edits.firstIndex(where: { $0.id == id && !$0.isSent }) else { return }
        let (before, column) = (edits[index], edits[index].versionColumn)
        if let row {
            edits[index].isDeletion = false
            edits[index].row = (server ?? (before.isDeletion ? key : before.row)).merging(row) { $1 }
            edits[index].changed = Set(row.filter { server == nil || server?[$0.key] != $0.value }.map(\.key))
        }
        if let column {
            let version = server?[column] ?? .null
            edits[index].row[column] = before.row[column]
            if edits[index].leads(toRowOf: before) { setVersion(version, from: index) }
            edits[index].row[column] = version
        }
        let (edit, known) = (edits[index], server ?? [:])
        edits[index].base =
            edit.isDeletion
            ? known.without(edit.versionColumn.map { [$0] } ?? []) : known.filter { edit.changed.contains($0.key) }
    }

    /// Sets the version of an edit, and of the later ones on top of it, up to a deletion.
    ///
    /// What inserts the row again is for no version.
    private mutating func setVersion(_ version: StoreValue, from index: Int) {
        guard let column = edits[index].versionColumn else { return }
        let old = edits[index].row[column] ?? .null
        for later in edits.indices[index...] where !edits[later].isSent && (edits[later].row[column] ?? .null) == old {
            edits[later].row[column] = version
            if edits[later].isDeletion { break }
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
