import DeltaSync
import Foundation
import HTTPMessages
import JSON
import Queueing
import StoreCore
import Transport

/// Resolves the conflict of an entry, outside of any transaction.
struct ConflictResolver: Sendable {
    /// The refusal stays.
    struct Unresolvable: Error {}

    /// Further refusals of an entry fail, with the server's row: the server may refuse any request.
    private static let maximumResolutions: Int64 = 4
    /// Statuses of a response to the `GET` after which it is tried again; others fail.
    private static let transient: Set<Int> = [401, 407, 408, 425, 429]

    let conflicts: OutboxConflicts
    let options: OutboxOptions
    let store: any LocalStore

    /// Fetches the server's row, and asks the app.
    /// - Returns: nil if the server's row cannot be had now: try again later.
    /// - Throws: ``Unresolvable``; `CancellationError`; errors of the app's closures.
    func resolve(
        _ row: EntryRow, _ request: HTTPRequest, _ response: HTTPResponse, over transport: any Transport
    ) async throws -> ResolvedConflict? {
        guard let edit = row.edits.first else { throw Unresolvable() }
        guard let current = try await fetch(row, request, over: transport) else { return nil }
        var server: ColumnValues?
        switch current.status.code {
        case 200..<300: server = try self.row(current, of: edit)
        case 404, 410: break
        case let code where code >= 500 || Self.transient.contains(code): return nil
        default: throw Unresolvable()
        }
        let known = edit.seeing(server)
        if row.edits.count == 1, known.isAtServer { return ResolvedConflict(sent: edit, server: server) }
        if let column = edit.versionColumn, let version = server?[column], version == edit.rowVersion,
            request.fields[.ifMatch] == row.entityTag
        {
            throw Unresolvable()
        }
        let isAsked = row.resolutions < Self.maximumResolutions
        let resolution = isAsked ? try await conflicts.resolve(OutboxConflict(row.entry, response, known)) : .ask
        try Task.checkCancellation()
        return try ResolvedConflict(
            resolution, of: edit, row, conflicts, options, server: server, in: store,
            members: (try? JSONValue(parsing: current.body))?.object ?? [:])
    }

    private func fetch(
        _ row: EntryRow, _ request: HTTPRequest, over transport: any Transport
    ) async throws -> HTTPResponse? {
        // Other fields may tell which row it is, such as that of a tenant.
        var fields = request.fields
        for name in request.fields.map(\.name) where name.describesContent || name.isOfWrite { fields.remove(name) }
        if !fields.contains(.accept) { try fields.set(.accept, to: "*/*") }
        // A row from a cache could be older than the one that the server has refused the edit for.
        try fields.set(.cacheControl, to: "no-cache")
        var fetch = try HTTPRequest(
            .get, row.request.url, fields: fields,
            options: RequestOptions(maximumResponseBytes: options.maximumResponseBytes))
        fetch.options.priority = request.options.priority
        // The row must not be that of the next user.
        fetch.options.beginCall(after: request.options.call?.lastSignOut)
        do {
            return try await transport.send(fetch)
        } catch let error as TransportError where error.code == .responseTooLarge {
            throw Unresolvable()
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }

    private func row(_ response: HTTPResponse, of edit: PendingEdit) throws -> ColumnValues {
        var row = try conflicts.row(response)
        guard let edits = try PendingEdits.existing(in: store), let schema = try store.schema(of: edit.table) else {
            throw Unresolvable()
        }
        guard row.keys.contains(where: { schema.index(of: $0) != nil && edit.key[$0] == nil }) else {
            throw OutboxError(
                .unmergeable, "Response has no column of the table \(edit.table); set `OutboxConflicts.row`.")
        }
        if let column = edit.versionColumn, let tag = response.fields[.etag],
            let version = StoreValue.text(tag).version(like: edit.server?[column] ?? edit.rowVersion ?? .null)
        {
            row[column] = version
        }
        return try edits.stored(row, in: edit.table)
    }
}

extension HTTPFieldName {
    /// True for fields that are not for a `GET` of the row: conditions, a part, how the write is done, and what
    /// identifies it.
    fileprivate var isOfWrite: Bool {
        let names = ["idempotency-key", "prefer", "range", "x-idempotency-key", "x-transaction-id"]
        return canonicalName.hasPrefix("if-") || canonicalName.hasPrefix("repeatability-")
            || names.contains(canonicalName)
    }
}

extension EntryRow {
    /// The version that its row was edited from, for `If-Match`: that of the first edit, whose row the URL names.
    var entityTag: String? {
        switch edits.first?.rowVersion {
        case .text(let tag): tag.hasPrefix("\"") || tag.hasPrefix("W/\"") || tag == "*" ? tag : "\"\(tag)\""
        case .integer(let number): "\"\(number)\""
        case nil, .null, .real, .blob: nil
        }
    }
}
