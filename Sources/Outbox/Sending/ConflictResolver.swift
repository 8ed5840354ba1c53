import DeltaSync
import Foundation
import HTTPMessages
import StoreCore
import Transport

/// Resolves the conflict of an entry, outside of any transaction.
struct ConflictResolver: Sendable {
    let conflicts: OutboxConflicts
    let options: OutboxOptions
    let rule: SecretRule

    /// Fetches the server's row, and asks the app.
    /// - Returns: nil if the server's row cannot be had now: try again later.
    /// - Throws: errors of the app's closures.
    func resolve(
        _ row: EntryRow, _ request: HTTPRequest, _ response: HTTPResponse, over transport: any Transport
    ) async throws -> ResolvedConflict? {
        guard let edit = row.edits.first else { return nil }
        let fetch = try HTTPRequest(
            .get, row.request.url, fields: HTTPFields(["Accept": request.fields[.accept] ?? "*/*"]))
        guard let current = try? await transport.send(fetch) else { return nil }
        var server: ColumnValues?
        if (200..<300).contains(current.status.code) {
            server = try conflicts.row(current)
            if let column = edit.versionColumn, let tag = current.fields[.etag] { server?[column] = .text(tag) }
        } else if ![404, 410].contains(current.status.code) {
            return nil
        }
        let known = edit.seeing(server)
        guard !known.isAtServer else { return try resolved(row, .server, server: server) }
        return try resolved(
            row, try await conflicts.resolve(OutboxConflict(row.entry, response, known)), server: server)
    }

    /// - Throws: errors of the app's closure, and of storing the request.
    func resolved(
        _ row: EntryRow, _ resolution: OutboxResolution, server: ColumnValues?
    ) throws -> ResolvedConflict {
        let edit = row.edits.first
        var resolved = ResolvedConflict(resolution: resolution, server: server, edit: edit)
        // The request has the whole row, not only what the edit has changed.
        if resolution == .client, edit?.isDeletion == false { resolved.cells = edit?.row }
        if case .merged(let cells) = resolution {
            var request: HTTPRequest
            do {
                request = try row.request.request(
                    idempotencyKey: row.idempotencyKey, files: options.files, maximumResponseBytes: .max)
            } catch is StoredRequest.Damage { throw OutboxError.damaged }
            try conflicts.write((server ?? [:]).merging(cells) { $1 }, &request)
            resolved.request = try StoredRequest(request, options, rule)
            resolved.cells = cells
        }
        return resolved
    }
}

extension EntryRow {
    /// The version that its row was edited from, for `If-Match`.
    var entityTag: String? {
        for edit in edits {
            guard let version = edit.rowVersion else { continue }
            switch version {
            case .text(let tag): return tag.hasPrefix("\"") || tag.hasPrefix("W/\"") || tag == "*" ? tag : "\"\(tag)\""
            case .integer(let number): return "\"\(number)\""
            case .null, .real, .blob: continue
            }
        }
        return nil
    }
}
