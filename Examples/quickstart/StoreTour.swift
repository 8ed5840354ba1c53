import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import Transport

/// Goes through what a store on this machine does: rows, SQL, and deltas from a server.
func storeTour() async throws {
    let server = try LoopbackServer { request in try JackService.answer(request) }
    let story = Story(server: server)
    let store = MemoryStore()
    let changes = store.subscribe { change in
        story.result("changed: \(change.tables.map(\.text).sorted())")
    }
    try keepRows(store, story)
    try await bringUpToDate(store, server, story)
    withExtendedLifetime(changes) {}
    try store.close()
    await server.stop()
}

/// A table, a transaction, and a question.
private func keepRows(_ store: MemoryStore, _ story: Story) throws {
    story.chapter(
        "Keep rows on this machine, and ask for them in SQL",
        code: """
            let store = MemoryStore()    // or SQLiteStore(.file(path))
            try store.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
            try store.transaction {
                try store.execute("INSERT INTO note (text) VALUES (?)", ["mend the fence"])
                try store.execute("INSERT INTO note (text) VALUES (?)", ["call Ada"])
            }
            try store.query("SELECT id, text FROM note WHERE text LIKE '%fence%'") { row in … }
            """)
    try store.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
    try store.transaction {
        try store.execute("INSERT INTO note (text) VALUES (?)", ["mend the fence"])
        try store.execute("INSERT INTO note (text) VALUES (?)", ["call Ada"])
    }
    try store.query("SELECT id, text FROM note WHERE text LIKE '%fence%'") { row in
        story.result("note \(row.int64(at: 0) ?? 0): \(row.text(at: 1) ?? "")")
        return true
    }
}

/// All rows first, then what has changed since; each applied as a whole or not at all.
private func bringUpToDate(_ store: MemoryStore, _ server: LoopbackServer, _ story: Story) async throws {
    story.chapter(
        "Load a table from a server once, and then only what has changed",
        code: """
            let target = try DeltaTarget(tables: [jacks], binding: DeltaBinding(server: …, resource: "jacks"))
            let applier = DeltaApplier(store)
            let since = try applier.version(of: target)
            let response = try await transport.send(HTTPRequest(.get, "…/jacks?since=…"))
            var delta = JSONDeltaSource(response.body)
            try applier.apply(&delta, to: target)
            """)
    let jacks = try TableSchema(
        "jack", columns: [.init("id", "INTEGER"), .init("label", "TEXT")], primaryKey: ["id"])
    let origin = "http://127.0.0.1:\(server.port)"
    let target = try DeltaTarget(tables: [jacks], binding: DeltaBinding(server: origin, resource: "jacks"))
    let applier = DeltaApplier(store)
    for _ in 0..<2 {
        let since = try applier.version(of: target) ?? "0"
        let response = try await URLSessionTransport.shared.send(HTTPRequest(.get, "\(origin)/jacks?since=\(since)"))
        var delta = JSONDeltaSource(response.body)
        let outcome = try applier.apply(&delta, to: target)
        story.wire()
        story.result(
            "version \(outcome.version ?? "none"): \(outcome.counts.upserts) rows, \(outcome.counts.deletes) gone")
    }
    story.result("as JSON: \(String(decoding: try store.queryJSON("SELECT * FROM jack"), as: UTF8.self))")
}

/// A server that has two versions of a table.
private enum JackService {
    static func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        let delta =
            request.url.absoluteString.hasSuffix("since=1")
            ? """
            [{"from": "1", "to": "2"}, {"table": "jack"},
             {"upsert": {"id": 2, "label": "plug"}}, {"delete": [1]}, {"end": {"upserts": 1, "deletes": 1}}]
            """
            : """
            [{"to": "1"}, {"table": "jack"},
             {"upsert": {"id": 1, "label": "plate"}}, {"upsert": {"id": 2, "label": "plugg"}},
             {"end": {"upserts": 2, "deletes": 0}}]
            """
        return HTTPResponse(
            head: HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Content-Type": "application/json"]), url: request.url),
            body: Data(delta.utf8))
    }
}
