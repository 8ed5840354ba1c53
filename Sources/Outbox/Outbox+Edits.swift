public import DeltaSync
public import HTTPMessages
import StoreCore

extension Outbox {
    /// Adds a request with the local edits that it sends, in the transaction of the caller if there is one.
    ///
    /// ```swift
    /// let edit = try RowEdit(upserting: note, into: "note", versionColumn: "etag")
    /// try outbox.add(request, key: note.id, as: "save note", editing: [edit])
    /// ```
    ///
    /// The rows are written, and deltas and full loads keep the edits (`PendingEdits`) until the entry is done or
    /// discarded; that and the edits are one transaction. `If-Match` is sent with the version that the row was edited
    /// from; a second edit, which was made on top of the first one, has the version that the first one has led to,
    /// unless a resolution has made another row of that (``OutboxConflicts``). A request that is dropped with an
    /// earlier entry (``OutboxCollapse/dropBoth``) leaves the server's row.
    /// - Throws: as ``add(_:key:as:expiresAfter:)``, and as `PendingEdits.add`.
    @discardableResult
    public func add(
        _ request: HTTPRequest, key: some CustomStringConvertible, as name: String, editing edits: [RowEdit],
        expiresAfter lifetime: Duration? = nil
    ) throws -> OutboxTicket {
        try add(request, key: key.description as String?, as: name, expiresAfter: lifetime, editing: edits)
    }

    /// The edits that wait for an entry, with both sides of their rows; empty once it is done.
    ///
    /// Also empty for the entry of another user.
    public func edits(of id: OutboxEntry.ID) throws -> [PendingEdit] {
        guard let row = try table.row(id, hasBody: false), sender.users.contains(row.user) else { return [] }
        return try PendingEdits.existing(in: store)?.edits(of: id.editID) ?? []
    }

    /// Resolves the conflict of a failed entry, such as after ``OutboxResolution/ask``.
    ///
    /// The entry keeps its identity, and its request gets another Idempotency-Key. With ``OutboxResolution/client`` it
    /// keeps that too, if the server may have processed an earlier attempt and the row has no version.
    /// - Throws: ``OutboxError``: `noConflict` if the entry has not failed with 412 or 409, or has no edits;
    ///   `noSuchEntry`, `inFlight`, `damaged`, `unmergeable`; `StoreError`; errors of ``OutboxConflicts/write``.
    public func resolve(_ id: OutboxEntry.ID, with resolution: OutboxResolution) throws {
        guard resolution != .ask else { return }
        let conflicts = options.conflicts ?? OutboxConflicts { _ in .ask }
        try change(id) { row in
            guard row.phase != .sending else {
                throw OutboxError(.inFlight, "Entry is being sent; resolve it after that has ended.")
            }
            row.edits = try PendingEdits.existing(in: store)?.edits(of: id.editID) ?? []
            guard row.phase == .failed, row.failure?.status == .preconditionFailed || row.failure?.status == .conflict,
                let edit = row.edits.first
            else {
                throw OutboxError(.noConflict, "Entry has no conflict to resolve; retry, edit or discard it.")
            }
            if resolution == .server {
                try discard(id)
                return true
            }
            let old = row
            let resolved = try ResolvedConflict(
                resolution, of: edit, row, conflicts, options, server: edit.server, in: store)
            try resolved.settle(&row, in: store, options, sender.rule, keepsKeyInDoubt: true)
            checkFile(of: old)
            checkFile(of: row)
            return true
        }
    }
}

extension OutboxEntry.ID {
    /// The ID of its edits. Editing or replacing an entry keeps its number; a number that is used again has no edits
    /// that wait.
    var editID: String { "outbox/\(number)" }
}
