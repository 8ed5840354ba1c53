import Connectivity
import DeltaSync
import Foundation
import HTTPMessages
import JSON
import Outbox
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Transport

/// One row of three columns with a version, as an ETag. A `PUT` replaces the row.
final class Sheet: HTTPService {
    typealias Row = [String: String]

    struct Change: Equatable {
        /// The first key of the request, without the number of resolutions.
        let key: String
        /// The columns that the request has changed.
        let columns: Set<String>
    }

    struct State: Sendable {
        var row: Row
        var version = 1
        var changes: [Change] = []
    }

    let state: Mutex<State>

    init(_ row: Row) { state = Mutex(State(row: row)) }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = request.method == .get ? nil : try await JSONValue(parsing: request.body.collect()).object
        return state.withLock { state in
            if let body {
                guard request.fields[.ifMatch] == "\"\(state.version)\"" else {
                    return request.response(.preconditionFailed)
                }
                var row = state.row
                for name in row.keys { row[name] = body[name]?.string ?? "" }
                let key = request.fields[.idempotencyKey]?.split(separator: ".").first ?? ""
                let columns = Set(row.filter { state.row[$0.key] != $0.value }.keys)
                state.changes.append(Change(key: String(key), columns: columns))
                (state.row, state.version) = (row, state.version + 1)
            }
            var response = request.response(json: .object(state.row.mapValues { JSONValue.string($0) }))
            response.head.fields[.etag] = "\"\(state.version)\""
            return response
        }
    }

    /// A change by another user.
    func change(_ cells: Row) {
        state.withLock { state in
            state.row.merge(cells) { $1 }
            state.version += 1
        }
    }
}

/// A store with the row of a sheet, and outboxes over its server.
struct SheetWorld {
    let sheet = Sheet(["title": "a", "text": "x", "state": "open"])
    let base: OutboxWorld
    private let subject: StoreSubject

    init(_ subject: StoreSubject) throws {
        self.subject = subject
        base = try OutboxWorld(subject)
        try base.store.execute(
            "CREATE TABLE sheet (id TEXT PRIMARY KEY, title TEXT, text TEXT, state TEXT, etag TEXT)", [])
        try base.store.execute("INSERT INTO sheet VALUES ('s1', 'a', 'x', 'open', '\"1\"')", [])
        base.network.set(.unreachable)
    }

    /// - Parameter isOther: true for an outbox over a store of its own, as in another process.
    func open(isOther: Bool = false, _ change: (inout OutboxOptions) -> Void) throws -> Outbox {
        try base.open(
            over: ServiceTransport(sheet), store: isOther ? subject.make(base.folder) : nil, change)
    }

    /// Changes columns of the row that the app sees; the request has the whole row.
    @discardableResult
    func edit(_ outbox: Outbox, _ cells: Sheet.Row) throws -> OutboxEntry.ID {
        let row = try row.merging(cells) { $1 }
        let body = try JSONEncoder().encode(row)
        let request = try HTTPRequest(.put, "http://shop.example/sheets/s1", body: .bytes(body))
        let columns = row.map { (SQLIdentifier($0.key), StoreValue.text($0.value)) }
        let edit = RowEdit(
            upserting: ColumnValues(uniqueKeysWithValues: columns + [("id", "s1")]), into: "sheet",
            versionColumn: "etag")
        return try outbox.add(request, key: "s1", as: "save sheet", editing: [edit]).id
    }

    /// What the app sees.
    var row: Sheet.Row {
        get throws {
            let cells = try base.store.rows("SELECT title, text, state FROM sheet", [])[0].map { cell in
                if case .text(let text) = cell { text } else { "" }
            }
            return Dictionary(uniqueKeysWithValues: zip(["title", "text", "state"], cells))
        }
    }
}
