import DeltaSync
import StoreCore

/// A resolution with what is stored for it.
struct ResolvedConflict: Sendable {
    let resolution: OutboxResolution
    let server: ColumnValues?
    let edit: PendingEdit?
    /// What the edit leads to; nil for the same as before.
    var cells: ColumnValues?
    /// The merged request.
    var request: StoredRequest?

    /// Changes an entry and its edit, in a transaction. The caller removes it for ``OutboxResolution/server``.
    /// - Parameter key: the Idempotency-Key of a request that is sent again: a server may have stored its refusal under
    ///   the one before.
    func settle(_ row: inout EntryRow, in store: any LocalStore, key: String) throws {
        if let edits = try PendingEdits.existing(in: store), let edit {
            if resolution == .ask {
                try edits.received(server, refusing: edit)
            } else {
                try edits.rebase(edit, onto: server, amending: cells)
            }
        }
        switch resolution {
        case .server: break
        case .ask: row.phase = .failed
        case .client, .merged:
            row.request = request ?? row.request
            (row.idempotencyKey, row.phase, row.doubt, row.failure, row.due) = (key, .ready, 0, nil, nil)
            try EntryTable(store: store).replace(row)
        }
    }
}
