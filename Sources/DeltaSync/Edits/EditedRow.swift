import StoreCore

/// A row with its edits: a value without I/O.
///
/// The row that the app sees is the server's row with the edits on top, those that were sent first. Only deltas change
/// the server's row. An edit that was sent stays on top until a delta comes that was requested later: that has what has
/// become of the edit since, or it leaves the row out, and then the row is as it was before.
///
/// ```
/// waiting  -sent->          sent, or part of the server's row if no delta comes into the store
/// waiting  -discarded->     removed
/// sent     -later delta->   removed
/// received -later delta->   removed
/// ```
///
/// A row that the server has responded with is received: an edit that was sent, and has changed what was known before.
///
/// Users may have edits of one row, in a table that was never loaded, or whose rows are for all users. Each edit is
/// made on top of those of the others.
struct EditedRow: Hashable, Sendable {
    /// One edit.
    struct Edit: Hashable, Sendable {
        var number: Int64
        /// The number of the stored row that has the edit: each user of a row has one.
        var storedRow: Int64
        /// The user of the edit; empty for no user.
        var user: String
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
            if isSent, isNext(to: other), let versionColumn { result[versionColumn] = row[versionColumn] }
            return result
        }

        /// True if a row has the version that the edit was sent for; of several that are one now any version.
        fileprivate func isNext(to other: ColumnValues?) -> Bool {
            guard let other, let versionColumn else { return false }
            if changed.contains(versionColumn) { return true }
            guard let old = base[versionColumn] else { return false }
            return (other[versionColumn] ?? .null) == old
        }

        /// The server's row with the edit, as far as that is known. Cells that have changed since the edit was made
        /// came with a delta, and may be newer than the edit.
        fileprivate func settled(on server: ColumnValues?) -> ColumnValues? {
            guard let server else { return isDeletion || !base.isEmpty ? nil : row }
            if isNext(to: server) { return applied(to: server) }
            if isDeletion { return !base.isEmpty && base.allSatisfy { server[$0.key].means($0.value) } ? nil : server }
            return server.merging(row.filter { changed.contains($0.key) && server[$0.key].means(base[$0.key]) }) { $1 }
        }

        /// True if the edit has made the row, in which all is its own.
        fileprivate var isInsertion: Bool { !isDeletion && base.isEmpty && !changed.isEmpty }

        /// True if the edit was made on this row, in the columns of the server.
        fileprivate func isMade(on below: ColumnValues, in isServerColumn: (SQLIdentifier) -> Bool) -> Bool {
            below.allSatisfy {
                $0.key == versionColumn || !isServerColumn($0.key) || (base[$0.key] ?? row[$0.key]).means($0.value)
            }
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

    /// The number of the first of its stored rows; 0 for a new row.
    var number: Int64
    var table: SQLIdentifier
    var key: ColumnValues
    /// The binding of the table's rows; nil before the first full load.
    var binding: String?
    /// The user of the first stored row; empty for no user.
    var user: String
    /// The server's row in the stored version of the table; nil if it has none.
    var server: ColumnValues?
    /// The edits: those that were sent, then those that wait.
    var edits: [Edit]

    /// What the app sees; nil for a deleted row.
    ///
    /// If a sent edit is on top of a row that has changed elsewhere since, that is no version of the row at the server:
    /// an edit of it is refused.
    var visible: ColumnValues? {
        var row = edits.reduce(server) { $1.applied(to: $0) }
        if let column = edits.first(where: \.isSent)?.versionColumn, row?[column] ?? .null != .null,
            !isKnownVersion(column)
        {
            row?[column] = Self.unknownVersion
        }
        return row
    }

    /// The row that the server has now, as far as that is known.
    var known: ColumnValues? { edits.lazy.filter(\.isSent).reduce(server) { $1.settled(on: $0) } }

    /// What the sent edits lead to.
    var sent: ColumnValues? { edits.lazy.filter(\.isSent).reduce(server) { $1.applied(to: $0) } }

    /// True if the sent edits lead to the row that the server has, as far as that is known.
    private func isKnownVersion(_ column: SQLIdentifier) -> Bool { sent.means(known, apartFrom: column) }

    /// True if the edits belong to the rows of a binding, or for nil to rows that were never loaded.
    func belongs(to other: String?) -> Bool { DeltaBinding.has(other, editsOf: user, madeIn: binding) }

    var identity: RowIdentity { RowIdentity(table: table, key: key) }

    /// Adds the edits of a stored row: first those that were sent, as they were.
    mutating func add(_ others: [Edit]) {
        edits = (edits + others).sorted { ($0.sent ?? .max, $0.number) < ($1.sent ?? .max, $1.number) }
    }

    /// The server has the edit now.
    ///
    /// The next edit takes over the version of the row if it was made on just that row. Its request may have all cells
    /// of the row, and would else overwrite what the server has of others: its older version is refused. If the
    /// response has no version, so is that of a row that a delta has brought since, and that lacks the edit.
    /// - Parameters:
    ///   - number: the number of the send.
    ///   - isSynchronized: false if no delta comes for the table.
    mutating func sent(
        _ id: String, number: Int64, at version: String?, isSynchronized: Bool, rowVersion: StoreValue?,
        serverColumns: (SQLIdentifier) -> Bool
    ) {
        guard let index = edits.firstIndex(where: { $0.id == id && !$0.isSent }) else { return }
        let edit = edits[index]
        (edits[index].sent, edits[index].version) = (number, version)
        if let column = edit.versionColumn {
            let (old, new) = (edit.row[column] ?? .null, rowVersion?.version(like: edit.row[column] ?? .null))
            if let new {
                edits[index].row[column] = new
                if !edit.isInsertion { edits[index].base[column] = old }
            }
            let next = edits.indices[index...].dropFirst().first { !edits[$0].isSent }
            if let next, !edit.isDeletion, !edits[next].isInsertion {
                if let new, edits[next].isMade(on: edit.row, in: serverColumns) {
                    edits[next].row[column] = new
                } else if edits[next].row[column] ?? .null == .null
                    ? new ?? old != .null : new == nil && !isKnownVersion(column)
                {
                    edits[next].row[column] = Self.unknownVersion
                }
            }
        }
        let sent = edits.remove(at: index)
        if isSynchronized {
            insert(sent)
        } else {
            server = sent.applied(to: server)
        }
    }

    /// Adds what was sent under the edits that wait.
    private mutating func insert(_ sent: Edit) {
        edits.insert(sent, at: edits.firstIndex { !$0.isSent } ?? edits.endIndex)
    }

    /// The server has responded with its row now, or with none.
    /// - Parameters:
    ///   - id: the ID of the edit that it has refused.
    ///   - number: the number of the response among the sends.
    ///   - isSynchronized: false if no delta comes for the table.
    mutating func receive(
        _ row: ColumnValues?, refusing id: String, number: Int64, at version: String?, isSynchronized: Bool
    ) {
        let known = known
        guard row != known, let refused = edits.first(where: { $0.id == id && !$0.isSent }) else { return }
        guard isSynchronized else { return server = row }
        let versionColumn = refused.versionColumn
        let changes = (row ?? [:]).filter { $0.key != versionColumn && known?[$0.key] != $0.value }
        insert(
            Edit(
                number: 0, storedRow: refused.storedRow, user: refused.user, id: "", isDeletion: row == nil,
                row: row ?? [:], changed: Set(changes.keys),
                base: (known ?? [:]).filter { row == nil || changes[$0.key] != nil || $0.key == versionColumn },
                versionColumn: versionColumn, sent: number, version: version, position: 0))
    }

    /// The edit is not sent any more; the next one is made from the row before it.
    ///
    /// Requests for later edits may have its cells. So they get a version that the server refuses, unless the next one
    /// has changed those cells itself.
    mutating func discard(_ id: String, serverColumns: (SQLIdentifier) -> Bool) {
        guard let index = edits.firstIndex(where: { $0.id == id && !$0.isSent }) else { return }
        let edit = edits.remove(at: index)
        guard let next = edits.indices[index...].first(where: { !edits[$0].isSent }) else { return }
        for name in edit.changed where edits[next].base[name] == edit.row[name] {
            edits[next].base[name] = edit.base[name]
        }
        guard let column = edit.versionColumn, !edits[next].isInsertion,
            let below = edits[..<next].reduce(server, { $1.applied(to: $0) }),
            !edits[next].isMade(on: below, in: serverColumns),
            [below, edit.row, edits[next].row].contains(where: { $0[column] ?? .null != .null })
        else { return }
        for later in edits.indices[next...] where !edits[later].isSent {
            guard !edits[later].isInsertion else { return }
            edits[later].row[column] = Self.unknownVersion
        }
    }

    /// An entity tag that no row has.
    static let unknownVersion = StoreValue.text("\"\"")

    /// Starts from a row that was never loaded: what was sent leads to it, or the app has changed it since.
    ///
    /// What the last user has sent becomes one edit that leads to the same, for the first load, whose request may have
    /// been made before or between the sends. What others have sent stays if both lead to the same, the version apart.
    mutating func restart(from row: ColumnValues?) {
        server = row
        guard let index = edits.lastIndex(where: \.isSent) else { return }
        var last = edits[index]
        for earlier in edits[..<index].reversed() where earlier.user == last.user {
            if !last.isInsertion { last.follow(earlier) }
            if let column = last.versionColumn, row?[column] ?? .null != .null { last.changed.insert(column) }
        }
        (last.row, last.isDeletion) = (row ?? last.row, row == nil)
        edits.removeAll {
            guard $0.isSent, $0.user != last.user else { return $0.isSent }
            return !last.applied(to: $0.applied(to: row)).means(row, apartFrom: last.versionColumn)
        }
        insert(last)
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

    /// The edit is made from another row of the server, or from none. Later edits keep their versions.
    /// - Parameter merged: the cells that the edit shall change; nil for those that it has changed.
    mutating func rebase(_ id: String, onto server: ColumnValues?, amending merged: ColumnValues?) {
        guard let index = edits.firstIndex(where: { $0.id == id && !$0.isSent }) else { return }
        var edit = edits[index]
        let cells = merged ?? edit.row.filter { edit.changed.contains($0.key) }
        if merged != nil || !edit.isDeletion {
            edit.row = (server ?? (edit.isDeletion ? key : edit.row)).merging(cells) { $1 }
            let changed = Set(cells.filter { server == nil || server?[$0.key] != $0.value }.map(\.key))
            edit.changed = server == nil ? edit.changed.union(changed) : changed
            edit.isDeletion = false
        }
        let known = server ?? [:]
        edit.base =
            edit.isDeletion
            ? known.without(edit.versionColumn.map { [$0] } ?? []) : known.filter { edit.changed.contains($0.key) }
        if let column = edit.versionColumn { edit.row[column] = known[column] ?? .null }
        edits[index] = edit
    }

    /// Some of the waiting edits, for the app.
    func pending(where isIncluded: (Edit) -> Bool) -> [PendingEdit] {
        let known = known
        var row = server
        return edits.compactMap { edit in
            row = edit.applied(to: row)
            guard !edit.isSent, isIncluded(edit) else { return nil }
            return PendingEdit(
                id: edit.id, table: table, key: key, isDeletion: edit.isDeletion,
                changes: edit.isDeletion ? [:] : edit.row.filter { edit.changed.contains($0.key) }, base: edit.base,
                server: known, local: row, versionColumn: edit.versionColumn,
                rowVersion: edit.versionColumn.flatMap { edit.row[$0] },
                row: edit.isDeletion ? [:] : edit.row.without(edit.versionColumn.map { [$0] } ?? []))
        }
    }
}
