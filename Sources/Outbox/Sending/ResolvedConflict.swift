import DeltaSync
import HTTPMessages
import JSON
import StoreCore

/// A resolution with what is stored for it.
struct ResolvedConflict: Sendable {
    /// Nil if the server has the edit already.
    let resolution: OutboxResolution?
    let server: ColumnValues?
    let edit: PendingEdit
    /// The cells that the edit changes from now on; nil for the same as before.
    private var cells: ColumnValues?
    /// The request for that; nil for the same as before.
    private var request: HTTPRequest?

    /// The version of the row that the edit has led to; nil if the server's row has further changes, which later edits
    /// on top of this one do not know.
    var rowVersion: StoreValue? {
        guard edit.leads(to: server) else { return nil }
        return edit.versionColumn.flatMap { server?[$0] }
    }

    /// The response to an edit was lost.
    init(sent edit: PendingEdit, server: ColumnValues?) {
        (resolution, self.edit, self.server) = (nil, edit, server)
    }

    /// - Parameter members: the server's row as it was fetched; without, the forms of its members are not known.
    /// - Throws: ``OutboxError`` (`damaged`, `unmergeable`); errors of the app's closure.
    init(
        _ resolution: OutboxResolution, of edit: PendingEdit, _ row: EntryRow, _ conflicts: OutboxConflicts,
        _ options: OutboxOptions, server: ColumnValues?, in store: any LocalStore, members: [String: JSONValue] = [:]
    ) throws {
        (self.resolution, self.edit, self.server) = (resolution, edit, server)
        let known = edit.seeing(server)
        switch resolution {
        case .server, .ask: return
        case .merged(let merged):
            let cells = known.changes(merging: merged)
            request = try Self.request(of: row, known, with: cells, conflicts.write, options, store, members)
            self.cells = cells
        case .client:
            // Without a row to merge with, or a body to write it into, the request stays.
            guard server != nil, !edit.isDeletion, conflicts.write != nil || row.request.hasBytes else { return }
            do {
                request = try Self.request(
                    of: row, known, with: edit.changes, conflicts.write, options, store, members)
            } catch let error as OutboxError where error.code == .unmergeable {}
        }
    }

    /// The request of an entry for cells on top of the server's row.
    private static func request(
        of row: EntryRow, _ edit: PendingEdit, with cells: ColumnValues,
        _ write: (@Sendable (ColumnValues, inout HTTPRequest) throws -> Void)?, _ options: OutboxOptions,
        _ store: any LocalStore, _ members: [String: JSONValue]
    ) throws -> HTTPRequest {
        var request: HTTPRequest
        do {
            request = try row.request.request(
                idempotencyKey: row.sentKey, files: options.files, maximumResponseBytes: .max)
        } catch is StoredRequest.Damage { throw OutboxError.damaged }
        let merged = (edit.server ?? [:]).merging(cells) { $1 }
        if let write {
            try write(merged, &request)
        } else {
            let columns = try store.schema(of: edit.table)?.columns.map(\.name) ?? []
            try request.write(merged, changing: cells, of: edit, columns: columns, like: members)
        }
        return request
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
        let old = row.request
        if let request { row.request = try StoredRequest(request, options, rule) }
        if let edits = try PendingEdits.existing(in: store) {
            switch resolution {
            case nil, .ask, .server: try edits.received(server, refusing: edit)
            case .client, .merged: try edits.rebase(edit, onto: server, amending: cells)
            }
        }
        switch resolution {
        case nil, .server: break
        case .ask: row.phase = .failed
        case .client, .merged:
            let version = edit.versionColumn.flatMap { server?[$0] } ?? .null
            if !keepsKeyInDoubt || row.doubt == 0 || row.request != old || version != .null {
                row.resolutions += 1
                row.doubt = 0
            }
            (row.phase, row.failure, row.due) = (.ready, nil, nil)
            try EntryTable(store: store).replace(row)
        }
    }
}
