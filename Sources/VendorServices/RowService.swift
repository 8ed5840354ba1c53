import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization

/// An emulated server of rows with versions, and of a feed of their changes as `JSONDeltaSource` reads it.
///
/// | endpoint | behavior |
/// |---|---|
/// | `GET /changes{?since}` | all rows, or the changes since a version |
/// | `GET`, `PUT`, `DELETE /{table}s/{id}` | a row with its `ETag`; 412 if `If-Match` names another one, or if there is a row and `If-None-Match` is `*`; 413 for more than 100,000 bytes |
/// | `GET /{page}` | a text that may be cached, but has to be checked each time |
///
/// A write with an `Idempotency-Key` has its effect once: the same request gets the stored response again, and another
/// one with the key 422.
public final class RowService: HTTPService {
    /// The cells of a row; `id` is its key, and `etag` its version.
    public typealias Row = [String: JSONValue]

    private struct State {
        var rows: [String: Row] = [:]
        /// The version of the last change of each row, also of deleted ones.
        var changes: [String: Int] = [:]
        var version = 0
        var keys = IdempotencyStore()

        mutating func put(_ row: Row?, at id: String) {
            version += 1
            changes[id] = version
            rows[id] = row?.merging(["id": .string(id), "etag": .string("\"\(version)\"")]) { $1 }
        }

        /// Writes or deletes a row, once for each `Idempotency-Key`.
        mutating func write(_ request: HTTPRequest, _ body: Data, at id: String) -> HTTPResponse {
            guard let key = request.fields[.idempotencyKey] else { return perform(request, body, at: id) }
            if let known = keys.begin(key, request, body) { return known }
            let response = perform(request, body, at: id)
            // A refused write had no effect, and may be corrected.
            keys.end(key, response.status.isSuccessful ? response : nil)
            return response
        }

        private mutating func perform(_ request: HTTPRequest, _ body: Data, at id: String) -> HTTPResponse {
            let isDeletion = request.method == .delete
            let row = isDeletion ? nil : (try? JSONValue(parsing: body))?.object
            guard isDeletion || row != nil else { return request.response(.badRequest) }
            let current = rows[id]
            if request.fields[.ifNoneMatch] == "*", current != nil { return request.response(.preconditionFailed) }
            switch request.fields[.ifMatch] {
            case nil: break
            case "*": if current == nil { return request.response(.preconditionFailed) }
            case let tag: if tag != current?["etag"]?.string { return request.response(.preconditionFailed) }
            }
            put(row, at: id)
            return isDeletion ? request.response(.noContent) : RowService.response(to: request, rows[id])
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
            let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems
            return feed(request, since: items?.first { $0.name == "since" }?.value.flatMap { Int($0) })
        case (.get, table + "s", 2): return Self.response(to: request, row(last))
        case (.put, table + "s", 2), (.delete, table + "s", 2):
            if let length = request.body.length, length > 100_000 { return request.response(.contentTooLarge) }
            let body: Data
            do {
                body = try await request.body.collect(upTo: 100_000)
            } catch let error as HTTPMessageError where error.code == .bodyLengthMismatch {
                return request.response(.contentTooLarge)
            }
            return state.withLock { $0.write(request, body, at: last) }
        case (.get, _, 1):
            guard let text = pages[first] else { return request.response(.notFound) }
            var response = request.response(text: text)
            response.head.fields[.cacheControl] = "max-age=0"
            return response
        default: return request.response(.notFound)
        }
    }

    private static func response(to request: HTTPRequest, _ row: Row?) -> HTTPResponse {
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
