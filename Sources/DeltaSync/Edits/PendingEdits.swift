public import StoreCore

/// Local edits of synchronized tables, which deltas and full loads keep until the server has them.
///
/// ```swift
/// let edits = try PendingEdits(in: store)
/// try store.transaction {                                    // the row, its edit and its request, or none
///     try edits.add(RowEdit(upserting: note, into: "note"), id: id)
///     try send(later: request, id: id)
/// }
/// try edits.sent(id)                                         // or discard(id), in the transaction that settles it
/// ```
///
/// An app with an `Outbox` passes the edit to its `add`, which does both.
///
/// ``DeltaApplier`` applies what the server sends to the server's row, which is kept beside the table, and puts the
/// edits on top of it again, in the same transaction. So the app sees its own columns of a row and the server's others.
/// A row that the server has deleted stays while an edit of it waits.
///
/// - An edit that was sent stays on top until a delta has come that was requested later, so that one that was requested
///   before does not show the old row for a while.
/// - ``discard(_:)`` shows the server's row again.
/// - Edits belong to the ``DeltaBinding`` of the rows that they were made in, and those of rows that were never loaded
///   to ``user``. Rows of another user do not show them; those of the same user do again. A table that was never
///   loaded shows the edits of all users.
/// - Columns that the app has added to a table are written, and belong to no edit.
/// - Change rows with edits only by further edits: the next delta overwrites other changes of the server's columns.
/// - An edit that its table does not allow any more, such as by a constraint or by another primary key, is not shown,
///   and waits.
///
/// All methods join the transaction of the caller if there is one. Thread-safe.
public struct PendingEdits: Sendable {
    /// The store of the tables, and of the edits.
    public let store: any LocalStore
    /// The user whose edits are added and read, as in ``DeltaBinding/user``; empty for no user.
    public let user: String
    private var tables: EditTables { EditTables(store: store) }

    /// Opens the edits of a store, and creates their tables in a new one.
    /// - Parameter user: the user whose edits are added and read, besides those of no user; default no user.
    /// - Throws: `StoreError`.
    public init(in store: any LocalStore, user: String = "") throws {
        (self.store, self.user) = (store, user)
        try tables.create()
    }

    private init(existingIn store: any LocalStore) { (self.store, user) = (store, "") }

    /// The edits of a store that has any tables for them; nil for another one.
    package static func existing(in store: any LocalStore) throws -> PendingEdits? {
        try EditTables(store: store).exist ? PendingEdits(existingIn: store) : nil
    }

    // MARK: Adding

    /// Writes an edit into its table, and keeps it until it is settled.
    /// - Parameter id: what settles it; one ID may have edits of several rows. A further edit of the same row becomes
    ///   one with the waiting one of this ID.
    /// - Throws: `StoreError`: `noSuchTable`; `noSuchColumn` also for a version column that the table does not have;
    ///   `invalidArgument` for a table without a primary key, for an edit without it, for rows of another user, and for
    ///   a `Decimal` of a record that a column of a numeric type would round; what writing the row throws.
    public func add(_ edit: RowEdit, id: String) throws {
        try store.transaction {
            let (schema, key) = try place(of: edit)
            let entry = try VersionTable(store: store).entry(of: edit.table)
            guard DeltaBinding.has(entry?.binding, editsOf: user, madeIn: nil) else {
                throw StoreError(
                    .invalidArgument, "Table \(edit.table) has rows of another user; load those of the user first.")
            }
            let before = try store.cells(of: edit.table, key: key)
            let row = try row(edit.table, key, entry?.binding, before)
            try write(edit, schema, key, over: before)
            let after = try store.cells(of: edit.table, key: key) ?? before ?? key
            let isServerColumn = Self.serverColumns(entry)
            let changed = after.filter {
                isServerColumn($0.key) && $0.key != edit.versionColumn && (before == nil || before?[$0.key] != $0.value)
            }
            let base = (before ?? [:]).filter {
                edit.isDeletion ? isServerColumn($0.key) && $0.key != edit.versionColumn : changed[$0.key] != nil
            }
            try tables.insert(
                EditedRow.Edit(
                    number: 0, storedRow: 0, user: user, id: id, isDeletion: edit.isDeletion, row: after,
                    changed: edit.isDeletion ? [] : Set(changed.keys), base: base, versionColumn: edit.versionColumn,
                    sent: nil, version: nil, position: 0), to: row)
        }
    }

    /// The row to add an edit to.
    private func row(
        _ table: SQLIdentifier, _ key: ColumnValues, _ binding: String?, _ before: ColumnValues?
    ) throws -> EditedRow {
        guard let row = try tables.row(table, key: key, binding: binding) else {
            return EditedRow(
                number: 0, table: table, key: key, binding: binding, user: user, server: before, edits: [])
        }
        guard binding == nil, row.edits.allSatisfy(\.isSent) else { return row }
        var current = row
        current.restart(from: before)
        try tables.put(current, replacing: row)
        return current
    }

    /// True if edits are of all rows of the waiting edits with an ID, and of its first.
    package func covers(_ edits: [RowEdit], id: String) throws -> Bool {
        let waiting = try tables.rows(withEdit: id).map(\.identity)
        let rows = try edits.map { RowIdentity(table: $0.table, key: try place(of: $0).key) }
        return waiting.isEmpty || (rows.first == waiting.first && Set(rows).isSuperset(of: waiting))
    }

    /// Writes an edit into its table without keeping it, such as one that needs no request.
    /// - Throws: as ``add(_:id:)``.
    public func write(_ edit: RowEdit) throws {
        try store.transaction {
            let (schema, key) = try place(of: edit)
            try write(edit, schema, key, over: store.cells(of: edit.table, key: key))
        }
    }

    private func write(_ edit: RowEdit, _ schema: TableSchema, _ key: ColumnValues, over row: ColumnValues?) throws {
        for column in edit.cells.keys + (edit.versionColumn.map { [$0] } ?? []) where schema.index(of: column) == nil {
            throw StoreError(.noSuchColumn, "Table \(edit.table) has no column \(column).")
        }
        for column in edit.longDecimals {
            guard let index = schema.index(of: column), case .text(let text)? = edit.cells[column],
                !DecimalText.isPreserved(text, in: schema.columns[index].affinity)
            else { continue }
            throw StoreError(
                .invalidArgument,
                "Column \(column) of table \(edit.table) keeps 15 digits of a decimal number, since its type is "
                    + "\(schema.columns[index].declaredType); declare it as TEXT.")
        }
        try store.setCells(edit.isDeletion ? nil : edit.cells(changing: row), of: schema, key: key)
    }

    private func place(of edit: RowEdit) throws -> (TableSchema, key: ColumnValues) {
        guard let schema = try store.schema(of: edit.table) else {
            throw StoreError(.noSuchTable, "no such table: \(edit.table)")
        }
        guard let key = edit.cells.key(of: schema) else {
            throw StoreError(
                .invalidArgument,
                "Table \(edit.table) has no primary key, or the edit lacks a column of it; add it, with a value.")
        }
        return (schema, key)
    }

    // MARK: Settling

    /// The requests with an ID were sent: the server has the edits.
    /// - Parameter rowVersion: the version that the server has responded with, such as an `ETag`, of the row of the
    ///   first edit; nil if unknown.
    public func sent(_ id: String, rowVersion: StoreValue? = nil) throws {
        try store.transaction {
            let (number, hasDeltas, versions) = (try tables.countSend(), try hasDeltas, VersionTable(store: store))
            var rowVersion = rowVersion
            try change(id) { row in
                row.sent(
                    id, number: number, at: try versions.version(of: row.table), isSynchronized: hasDeltas,
                    rowVersion: rowVersion, serverColumns: Self.serverColumns(try versions.entry(of: row.table)))
                rowVersion = nil
            }
        }
    }

    /// True if deltas come into the store: the first load of a table may be in progress.
    private var hasDeltas: Bool { get throws { try store.schema(of: VersionTable.table) != nil } }

    /// The requests with an ID are not sent any more: shows the server's row again.
    ///
    /// Requests for later edits of the row may have the discarded cells. Unless those edits have changed these
    /// themselves, they get a version that the server refuses.
    public func discard(_ id: String) throws {
        let versions = VersionTable(store: store)
        try change(id) { row in
            row.discard(id, serverColumns: Self.serverColumns(try versions.entry(of: row.table)))
        }
    }

    /// Removes the edits of a user in rows where all of them were sent. A table that deltas come for has the server's
    /// row then.
    package func removeSent(of user: String) throws {
        try store.transaction {
            let versions = VersionTable(store: store)
            for number in try tables.numbers(ofUser: user) {
                guard let old = try tables.row(number), old.edits.allSatisfy({ $0.user != user || $0.isSent }) else {
                    continue
                }
                var row = old
                row.edits.removeAll { $0.user == user }
                try tables.put(row, replacing: old)
                if try versions.entry(of: row.table) != nil { try show(row) }
            }
        }
    }

    /// Takes over another row of the server, for which it has refused an edit.
    ///
    /// The edit is still made from the one before. A row that a delta has brought since the edit was read stays; else
    /// the given one is seen until a delta that was requested later.
    /// - Parameter server: as in ``rebase(_:onto:amending:)``.
    public func received(_ server: ColumnValues?, refusing edit: PendingEdit) throws {
        try change(edit) { row in try receive(server, refusing: edit, in: &row) }
    }

    /// - Returns: the server's row with all cells that are known.
    @discardableResult
    private func receive(
        _ server: ColumnValues?, refusing edit: PendingEdit, in row: inout EditedRow
    ) throws -> ColumnValues? {
        let known = row.known
        let server = try server.map { (known ?? [:]).merging(try stored($0, in: row.table)) { $1 } }
        if known == edit.server {
            row.receive(
                server, refusing: edit.id, number: try tables.countSend(),
                at: try VersionTable(store: store).version(of: row.table), isSynchronized: try hasDeltas)
        }
        return server
    }

    /// Makes an edit one of another row of the server, such as one that it has refused the edit for.
    ///
    /// A row that a delta has brought since the edit was read stays, but the edit is made from the given one. A later
    /// edit of the row takes over its version once this one is sent, if it was made on just the row that this leads to.
    /// - Parameters:
    ///   - server: the server's row; nil if it has none. Cells that it lacks keep the values that were known.
    ///   - merged: the cells that the edit shall change, if the app has merged both; default nil: those that it has
    ///     changed.
    public func rebase(
        _ edit: PendingEdit, onto server: ColumnValues?, amending merged: ColumnValues? = nil
    ) throws {
        try change(edit) { row in
            let known = try receive(server, refusing: edit, in: &row)
            row.rebase(edit.id, onto: known, amending: try merged.map { try stored($0, in: row.table) })
        }
    }

    private func change(_ edit: PendingEdit, _ body: (inout EditedRow) throws -> Void) throws {
        try change(edit.id) { row in
            if row.table == edit.table, row.key == edit.key { try body(&row) }
        }
    }

    /// Cells as a table stores them.
    package func stored(_ cells: ColumnValues, in table: SQLIdentifier) throws -> ColumnValues {
        try store.schema(of: table).map { cells.stored(in: $0) } ?? cells
    }

    private func change(_ id: String, _ body: (inout EditedRow) throws -> Void) throws {
        try store.transaction {
            for number in try tables.numbers(withEdit: id) {
                guard let old = try tables.row(number) else { continue }
                var row = old
                try body(&row)
                if try VersionTable(store: store).entry(of: row.table) == nil { row.restart(from: row.sent) }
                try tables.put(row, replacing: old)
                try show(row)
            }
        }
    }

    /// Writes what the app sees of a row, if its table has the rows that the edits belong to.
    ///
    /// If the table does not allow that, it has the server's row.
    func show(_ row: EditedRow) throws {
        let entry = try VersionTable(store: store).entry(of: row.table)
        // Also nothing of a table that was dropped, or that has another primary key.
        guard row.belongs(to: entry?.binding), let schema = try store.schema(of: row.table),
            row.key.key(of: schema) == row.key
        else { return }
        for cells in [row.visible, row.server] {
            if try store.trySetCells(cells, of: schema, key: row.key, changing: Self.serverColumns(entry)) { return }
        }
    }

    /// True for a column of the server; for all columns of a table that was never loaded.
    private static func serverColumns(_ entry: VersionTable.Entry?) -> (SQLIdentifier) -> Bool {
        guard let signature = entry.flatMap({ TableSignature(text: $0.schema) }) else { return { _ in true } }
        return { signature.contains($0) }
    }

    // MARK: Reading

    /// The waiting edits of one table, or of all, in their order.
    ///
    /// They are those of ``user`` and of no user, in the rows that the tables have now.
    public func waiting(in table: SQLIdentifier? = nil) throws -> [PendingEdit] {
        let versions = VersionTable(store: store)
        let rows = try tables.allRows { row in
            try (table == nil || row.table == table) && row.belongs(to: versions.entry(of: row.table)?.binding)
        }
        return rows.flatMap { $0.pending { $0.user.isEmpty || $0.user == user } }
    }

    /// The waiting edits with an ID, of any user.
    public func edits(of id: String) throws -> [PendingEdit] {
        try tables.rows(withEdit: id).flatMap { $0.pending { $0.id == id } }
    }
}
