import DeltaSync
import HTTPMessages
import StoreCore

/// A resolution with what is stored for it.
struct ResolvedConflict: Sendable {
    /// Nil if the server has the edit already.
    let resolution: OutboxResolution?
    let server: ColumnValues?
    let edit: PendingEdit?
    /// What the edit leads to; nil for the same as before.
    private(set) var cells: ColumnValues?
    /// The merged request.
    private var request: HTTPRequest?

    /// The version of the row that the edit has led to; nil if the server's row has further changes, which later edits
    /// on top of this one do not know.
    var rowVersion: StoreValue? {
        guard let edit, edit.leads(to: server) else { return nil }
        return edit.versionColumn.flatMap { server?[$0] }
    }

    /// The response to an edit was lost.
    init(sent edit: PendingEdit, server: ColumnValues?) {
        (resolution, self.edit, self.server) = (nil, edit, server)
    }

    /// - Throws: ``OutboxError`` (`damaged`); errors of the app's closure.
    init(
        _ resolution: OutboxResolution, of row: EntryRow, _ conflicts: OutboxConflicts, _ options: OutboxOptions,
        server: ColumnValues?
    ) throws {
        (self.resolution, self.server, edit) = (resolution, server, row.edits.first)
        // The request has the whole row, not only what the edit has changed.
        if resolution == .client, edit?.isDeletion == false { cells = edit?.row }
        guard case .merged(let cells) = resolution else { return }
        var request: HTTPRequest
        do {
            request = try row.request.request(
                idempotencyKey: row.sentKey, files: options.files, maximumResponseBytes: .max)
        } catch is StoredRequest.Damage { throw OutboxError.damaged }
        let merged = (server ?? [:]).merging(cells) { $1 }
        if let write = conflicts.write {
            try write(merged, &request)
        } else {
            try request.replaceMembers(merged, merging: cells)
        }
        (self.request, self.cells) = (request, cells)
    }

    /// Changes an entry and its edit, in a transaction. The caller removes it for ``OutboxResolution/server``.
    /// - Parameter keepsKeyInDoubt: true to keep the Idempotency-Key of an unchanged request that the server may have
    ///   processed, and that has no version to be refused for. Others get a new one: a server may have stored its
    ///   refusal under the one before.
    /// - Throws: `StoreError`; errors of storing the request, before anything is changed.
    func settle(
        _ row: inout EntryRow, in store: any LocalStore, _ options: OutboxOptions, _ rule: SecretRule,
        keepsKeyInDoubt: Bool = false
    ) throws {
        if let request { row.request = try StoredRequest(request, options, rule) }
        if let edits = try PendingEdits.existing(in: store), let edit {
            switch resolution {
            case nil, .ask, .server: try edits.received(server, refusing: edit)
            case .client, .merged: try edits.rebase(edit, onto: server, amending: cells)
            }
        }
        switch resolution {
        case nil, .server: break
        case .ask: row.phase = .failed
        case .client, .merged:
            let version = edit?.versionColumn.flatMap { server?[$0] } ?? .null
            if !keepsKeyInDoubt || row.doubt == 0 || resolution != .client || version != .null {
                row.resolutions += 1
                row.doubt = 0
            }
            (row.phase, row.failure, row.due) = (.ready, nil, nil)
            try EntryTable(store: store).replace(row)
        }
    }
}
