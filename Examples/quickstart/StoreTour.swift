import DeltaSync
import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import Transport

/// Shows a local store that a server keeps up to date.
func storeTour() async throws {
    let server = try LoopbackServer { request in try JackService.respond(to: request) }
    let transcript = Transcript(server: server)
    let store = MemoryStore()
    let changes = store.subscribe { change in
        transcript.showResult("changed: \(change.tables.map(\.text).sorted())")
    }
    try await synchronize(store, server, transcript)
    withExtendedLifetime(changes) {}
    try store.close()
    await server.stop()
}

/// Applies a full load, then a delta; each is applied completely or not at all.
private func synchronize(_ store: MemoryStore, _ server: LoopbackServer, _ transcript: Transcript) async throws {
    transcript.section("Load a table from a server, then only its changes")
    // show
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
        transcript.showRequests()
        transcript.showResult(
            "version \(outcome.version ?? "none"): \(outcome.counts.upserts) rows, \(outcome.counts.deletes) deleted")
    }
    // end
    transcript.showResult("as JSON: \(String(decoding: try store.queryJSON("SELECT * FROM jack"), as: UTF8.self))")
}

/// A service with two versions of a table.
private enum JackService {
    static func respond(to request: HTTPRequest) throws -> HTTPResponse {
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
