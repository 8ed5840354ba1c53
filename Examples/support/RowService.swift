import Foundation
public import HTTPMessages
public import PatchbayTestKit
import RequestModel
import Synchronization

/// A server of rows with versions, and a feed of their changes as `JSONDeltaSource` reads it.
///
/// | endpoint | behavior |
/// |---|---|
/// | `GET /changes{?since}` | all rows, or the changes since a version |
/// | `GET`, `PUT`, `DELETE /{table}s/{id}` | a row with its `ETag`; 412 if `If-Match` names another one |
/// | `GET /{page}` | a text that may be cached, but has to be checked each time |
public final class RowService: HTTPService {
    /// The cells of a row; `id` is its key, and `etag` its version.
    public typealias Row = [String: JSONValue]

    private struct State {
        var rows: [String: Row] = [:]
        /// The version of the last change of each row, also of deleted ones.
        var changes: [String: Int] = [:]
        var version = 0

        mutating func put(_ row: Row?, at id: String) {
            version += 1
            changes[id] = version
            rows[id] = row?.merging(["id": .string(id), "etag": .string("\"\(version)\"")]) { $1 }
        }
    }

    private let table: String
    private let pages: [String: String]
    private let state = Mutex(State())

    /// Creates a server.
    /// - Parameters:
    ///   - table: the name of the table, such as `note`.
    ///   - rows: the rows at the start; those without `id` are left out.
    ///   - pages: texts by the last part of their path.
    public init(table: String, rows: [Row], pages: [String: String] = [:]) {
        (self.table, self.pages) = (table, pages)
        for row in rows {
            if let id = row["id"]?.string { change(id) { $0 = row } }
        }
    }

    /// A row; nil without one.
    public func row(_ id: String) -> Row? { state.withLock { $0.rows[id] } }

    /// A change by another client.
    public func change(_ id: String, _ body: (inout Row?) -> Void) {
        state.withLock { state in
            var row = state.rows[id]
            body(&row)
            state.put(row, at: id)
        }
    }

    /// Responds to one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let path = request.url.pathComponents.dropFirst()
        guard let first = path.first, let last = path.last else { return request.response(.notFound) }
        switch (request.method, first, path.count) {
        case (.get, "changes", 1):
            return feed(request, since: Query(parsing: request.url.query() ?? "")["since"].flatMap { Int($0) })
        case (.get, table + "s", 2): return response(to: request, row(last))
        case (.put, table + "s", 2):
            let body = try await request.body.collect(upTo: 100_000)
            guard let row = (try? JSONValue(parsing: body))?.object else { return request.response(.badRequest) }
            return write(row, at: last, request)
        case (.delete, table + "s", 2): return write(nil, at: last, request)
        case (.get, _, 1):
            guard let text = pages[first] else { return request.response(.notFound) }
            var response = request.response(text: text)
            response.head.fields[.cacheControl] = "max-age=0"
            return response
        default: return request.response(.notFound)
        }
    }

    private func write(_ row: Row?, at id: String, _ request: HTTPRequest) -> HTTPResponse {
        let (isWritten, written) = state.withLock { state -> (Bool, Row?) in
            let current = state.rows[id]
            switch request.fields[.ifMatch] {
            case nil: break
            case "*": if current == nil { return (false, nil) }
            case let tag: if tag != current?["etag"]?.string { return (false, nil) }
            }
            state.put(row, at: id)
            // As this request has written it, not as another one has left it since.
            return (true, state.rows[id])
        }
        guard isWritten else { return request.response(.preconditionFailed) }
        return written == nil ? request.response(.noContent) : response(to: request, written)
    }

    private func response(to request: HTTPRequest, _ row: Row?) -> HTTPResponse {
        guard let row else { return request.response(.notFound) }
        var response = request.response(json: .object(row))
        response.head.fields[.etag] = row["etag"]?.string
        return response
    }

    private func feed(_ request: HTTPRequest, since version: Int?) -> HTTPResponse {
        let (rows, changes, latest) = state.withLock { ($0.rows, $0.changes, $0.version) }
        let changed = changes.filter { $0.value > version ?? 0 }.keys.sorted()
        let upserts = changed.compactMap { rows[$0] }
        let deletes = version == nil ? [] : changed.filter { rows[$0] == nil }
        var elements: [JSONValue] = [
            ["from": version.map { .string("\($0)") } ?? .null, "to": .string("\(latest)")],
            ["table": .string(table)],
        ]
        elements += upserts.map { ["upsert": .object($0)] } + deletes.map { ["delete": .array([.string($0)])] }
        elements.append([
            "end": ["upserts": .integer(Int64(upserts.count)), "deletes": .integer(Int64(deletes.count))]
        ])
        return request.response(json: .array(elements))
    }
}
