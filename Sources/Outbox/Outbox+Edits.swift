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
    /// from; a second edit, which was made on top of the first one, has the version that the first one has led to. A
    /// request that is dropped with an earlier entry (``OutboxCollapse/dropBoth``) leaves the server's row.
    /// - Throws: as ``add(_:key:as:expiresAfter:)``, and as `PendingEdits.add`.
    @discardableResult
    public func add(
        _ request: HTTPRequest, key: some CustomStringConvertible, as name: String, editing edits: [RowEdit],
        expiresAfter lifetime: Duration? = nil
    ) throws -> OutboxTicket {
        let pending = try PendingEdits(in: store)
        return try store.transaction {
            let ticket = try add(request, key: key, as: name, expiresAfter: lifetime)
            guard ticket.outcome != .dropped else { return ticket }
            for edit in edits { try pending.add(edit, id: ticket.id.editID) }
            return ticket
        }
    }

    /// The edits that wait for an entry, with both sides of their rows; empty once it is done.
    public func edits(of id: OutboxEntry.ID) throws -> [PendingEdit] {
        try PendingEdits.existing(in: store)?.edits(of: id.editID) ?? []
    }

    /// Resolves the conflict of a failed entry, such as after ``OutboxResolution/ask``.
    /// - Throws: ``OutboxError`` (`noSuchEntry`, `inFlight`, `damaged`); `StoreError`; errors of
    ///   ``OutboxConflicts/write``.
    public func resolve(_ id: OutboxEntry.ID, with resolution: OutboxResolution) throws {
        guard resolution != .ask else { return }
        let (conflicts, edits) = (options.conflicts ?? OutboxConflicts { _ in .ask }, try edits(of: id))
        if resolution == .server { return try discard(id) }
        try change(id) { row in
            guard row.phase != .sending else {
                throw OutboxError(.inFlight, "Entry is being sent; resolve it after that has ended.")
            }
            row.edits = edits
            let resolved = try ConflictResolver(conflicts: conflicts, options: options, rule: sender.rule)
                .resolved(row, resolution, server: edits.first?.server)
            try resolved.settle(&row, in: store, key: makeIdempotencyKey())
            return true
        }
    }
}

extension OutboxEntry.ID {
    private static let prefix = "outbox/"

    /// The ID of its edits. Editing or replacing an entry keeps its number.
    var editID: String { "\(Self.prefix)\(number)" }

    /// The number of the entry whose edits have an ID; nil for the ID of others.
    static func number(ofEdit id: String) -> Int64? { id.hasPrefix(prefix) ? Int64(id.dropFirst(prefix.count)) : nil }
}
