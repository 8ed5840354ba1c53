public import DeltaSync
import Foundation
public import HTTPMessages
import JSON
import StoreCore

/// What happens to an edit of a row of which the server has another version by now.
///
/// ```swift
/// options.conflicts = OutboxConflicts { $0.mergedByColumn }
/// ```
///
/// Asked for an entry with an edit that was refused with 412 or 409, if the verdict is `failed`; of several edits, for
/// the first one. The server's row is fetched before, from the URL of the entry and with its fields, except those of
/// the body and of the write, such as `If-Match`. If it has the only edit already, there is nothing to resolve: the
/// response was lost.
///
/// Later edits of the row were made without knowing the row that a resolution leads to, and their requests may have all
/// cells of an older one. They keep their version, and are refused and resolved in their turn, unless the refused edit
/// leads to just the row that they were made on.
///
/// An entry stays failed, for ``Outbox/resolve(_:with:)``, if the row cannot be fetched, such as for 403 or 405, if it
/// still has the version that the request was sent for, so that its refusal has another cause, and after four
/// resolutions, with the server's row of then.
public struct OutboxConflicts: Sendable {
    /// Decides. Its error leaves the entry failed.
    public var resolve: @Sendable (OutboxConflict) async throws -> OutboxResolution
    /// Reads the server's row from the response to the `GET`; default the members of a JSON object. Columns that the
    /// table does not have are ignored; without any column of it the entry fails. The version column is the `ETag`, if
    /// the response has one.
    public var row: @Sendable (HTTPResponse) throws -> ColumnValues = { try ColumnValues(jsonObject: $0.body) }
    /// Writes a row into the request, for ``OutboxResolution/merged(_:)`` and ``OutboxResolution/client``; default nil:
    /// into the members that the JSON object of the body has, by the names of the columns. It must have one of the
    /// changed cells.
    ///
    /// The body of a PUT may also leave out cells that were null in the edited row, as `Codable` does. Those that are
    /// not null any more are added, in the form of the server's member. For ``Outbox/resolve(_:with:)`` that is not
    /// known: a Boolean is a number then, and a text that is a JSON list or object is that.
    public var write: (@Sendable (_ row: ColumnValues, _ request: inout HTTPRequest) throws -> Void)?

    /// Creates the rules.
    public init(resolve: @escaping @Sendable (OutboxConflict) async throws -> OutboxResolution) {
        self.resolve = resolve
    }
}

/// An edit that the server has refused, with both sides of the row.
public struct OutboxConflict: Sendable {
    /// The entry.
    public let entry: OutboxEntry
    /// The refusal.
    public let response: HTTPResponse
    /// The edit, with the server's row of now.
    public let edit: PendingEdit

    /// Creates a conflict, to test a rule of your own.
    public init(_ entry: OutboxEntry, _ response: HTTPResponse, _ edit: PendingEdit) {
        (self.entry, self.response, self.edit) = (entry, response, edit)
    }

    /// Merges both sides, if no column was changed on both; else asks.
    public var mergedByColumn: OutboxResolution {
        guard edit.conflictingColumns?.isEmpty == true else { return .ask }
        return .merged(edit.changes)
    }
}

/// How a conflict ends.
@nonexhaustive public enum OutboxResolution: Hashable, Sendable {
    /// The edit is discarded, and its entry removed.
    case server
    /// The request is sent again with all that the edit has changed, on top of the server's row.
    ///
    /// It is sent as it is if the server has no row, and if its body is a file or no JSON object of the row, without
    /// ``OutboxConflicts/write``. A whole row in it then replaces the server's.
    case client
    /// The request is sent again with these cells and the edit's other changes, on top of the server's row.
    ///
    /// A column that both sides have changed has the server's value, unless it is one of these cells.
    case merged(ColumnValues)
    /// The entry fails, and waits for ``Outbox/resolve(_:with:)``; ``Outbox/edits(of:)`` has both sides.
    case ask
}

extension ColumnValues {
    /// The members of a JSON object; lists and objects as their JSON text.
    fileprivate init(jsonObject body: Data) throws {
        self.init()
        for (name, value) in try JSONValue(parsing: body).object ?? [:] {
            let cell: StoreValue =
                switch value {
                case .null: .null
                case .bool(let value): .integer(value ? 1 : 0)
                case .integer(let value): .integer(value)
                case .string(let value): .text(value)
                default: try value.double.map { .real($0) } ?? .text(String(decoding: value.data(), as: UTF8.self))
                }
            self[SQLIdentifier(name)] = cell
        }
    }
}

extension HTTPRequest {
    /// Writes cells into the members of the body's JSON object.
    /// - Parameters:
    ///   - row: the merged row.
    ///   - changes: the cells of it that the edit changes.
    ///   - columns: the columns of the table, which are the names of new members.
    ///   - server: the members of the server's row, as far as known, whose forms new ones take.
    /// - Throws: ``OutboxError`` (`unmergeable`) for a body without members for the changes; errors of reading it.
    mutating func write(
        _ row: ColumnValues, changing changes: ColumnValues, of edit: PendingEdit, columns: [SQLIdentifier],
        like server: [String: JSONValue]
    ) throws {
        let reader = try body.makeReader()
        var bytes = Data()
        while let part = try reader?.read(atMost: 65_536) { bytes += part }
        let old = (try? JSONValue(parsing: bytes))?.object
        let names = Set((old ?? [:]).keys.map { SQLIdentifier($0) })
        // `Codable` leaves out nil, and the server deletes what a PUT leaves out.
        let isRow = method == .put && names.contains { edit.row[$0] != nil && edit.key[$0] == nil }
        let forms = Dictionary(server.map { (SQLIdentifier($0.key), $0.value) }) { $1 }
        // Columns of the app alone are not the server's business.
        let omitted = columns.filter {
            isRow && edit.row[$0] == .null && !names.contains($0) && (server.isEmpty || forms[$0] != nil)
        }
        guard let old,
            changes.isEmpty || changes.keys.contains(where: { names.contains($0) || omitted.contains($0) })
        else {
            throw OutboxError(
                .unmergeable,
                "Body of the request is no JSON object with members of the row; set `OutboxConflicts.write`.")
        }
        var members = old
        for name in old.keys + omitted.map(\.text) {
            let column = SQLIdentifier(name)
            // Of a member whose cell is the same the body has the app's own form.
            guard let cell = row[column], !edit.row[column].means(cell) else { continue }
            members[name] = try JSONValue(cell, replacing: old[name], like: forms[column])
        }
        if members != old { try setBody(.bytes(JSONValue.object(members).data())) }
    }
}

extension JSONValue {
    /// A cell as a member, in the form of the old one, or else of the server's.
    fileprivate init(_ cell: StoreValue, replacing old: JSONValue?, like server: JSONValue?) throws {
        let form: JSONValue? = if let old, old != .null { old } else { server }
        self =
            switch (cell, form) {
            case (.null, _): .null
            case (.integer(let value), .bool?): .bool(value != 0)
            case (.integer(let value), _): .integer(value)
            case (.real(let value), _): .number(value)
            case (.text(let value), .array?), (.text(let value), .object?): try JSONValue(parsing: Data(value.utf8))
            case (.text(let value), .null?), (.text(let value), .none): value.jsonContainer ?? .string(value)
            case (.text(let value), _): .string(value)
            case (.blob(let value), _): .string(value.base64EncodedString())
            }
    }
}
