import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport
import VendorServices

@Suite struct RowServiceTests {
    private let service = RowService(
        table: "jack", rows: [["id": "1", "label": "plate"], ["label": "no id"], ["id": "2", "label": "plug"]],
        pages: ["help": "Plug it in."])

    private func send(
        _ method: HTTPMethod, _ path: String, fields: [String: String] = [:], body: String = ""
    ) async throws -> HTTPResponse {
        let body: HTTPBody = body.isEmpty ? .empty : .bytes(Data(body.utf8))
        let fields = try HTTPFields(fields.map { ($0.key, $0.value) })
        let request = try HTTPRequest(method, "http://rows.example\(path)", fields: fields, body: body)
        return try await ServiceTransport(service).send(request)
    }

    private func json(_ method: HTTPMethod, _ path: String) async throws -> JSONValue {
        try JSONValue(parsing: await send(method, path).body)
    }

    @Test func `the feed has all rows, and then the changes since a version`() async throws {
        let all = try await json(.get, "/changes").array ?? []
        #expect(all.first == ["from": nil, "to": "2"] && all.last?["end"] == ["upserts": 2, "deletes": 0])
        #expect(all.count == 5 && all[2]["upsert"] == ["id": "1", "label": "plate", "etag": "\"1\""])

        #expect(try await send(.delete, "/jacks/1").status == .noContent)
        #expect(try await send(.put, "/jacks/3", body: #"{"label": "cable"}"#).status == .ok)
        let changes = try await json(.get, "/changes?since=2").array ?? []
        #expect(changes.first == ["from": "2", "to": "4"] && changes.last?["end"] == ["upserts": 1, "deletes": 1])
        #expect(changes.contains(["delete": ["1"]]))
        #expect(changes.contains(["upsert": ["id": "3", "label": "cable", "etag": "\"4\""]]))
    }

    @Test func `a write for another version is refused, and changes nothing`() async throws {
        let old = try await send(.get, "/jacks/1").fields[.etag]
        service.change("1") { $0?["label"] = "socket" }
        let fields = ["If-Match": try #require(old)]
        #expect(try await send(.put, "/jacks/1", fields: fields, body: "{}").status == .preconditionFailed)
        #expect(try await send(.delete, "/jacks/1", fields: fields).status == .preconditionFailed)
        #expect(service.row("1")?["label"] == "socket")
        let fresh = ["If-Match": try #require(await send(.get, "/jacks/1").fields[.etag])]
        #expect(try await send(.delete, "/jacks/1", fields: fresh).status == .noContent && service.row("1") == nil)
    }

    @Test func `a row is created, unless it is there`() async throws {
        let fields = ["If-None-Match": "*"]
        #expect(try await send(.put, "/jacks/1", fields: fields, body: "{}").status == .preconditionFailed)
        #expect(service.row("1")?["label"] == "plate")
        #expect(try await send(.put, "/jacks/9", fields: fields, body: "{}").status == .ok)
    }

    @Test func `a body that is too long has status 413`() async throws {
        let body = #"{"label": ""# + String(repeating: "x", count: 100_000) + #""}"#
        #expect(try await send(.put, "/jacks/1", body: body).status == .contentTooLarge)
        let chunks = AsyncStream { stream in
            stream.yield(Data(body.utf8))
            stream.finish()
        }
        let streamed = try HTTPRequest(.put, "http://rows.example/jacks/1", body: .stream(chunks))
        #expect(try await ServiceTransport(service).send(streamed).status == .contentTooLarge)
    }

    @Test(arguments: ["/", "/jacks", "/jacks/9", "/plugs/1", "/manual", "/changes/1"])
    func `other paths are not found`(path: String) async throws {
        #expect(try await send(.get, path).status == .notFound)
    }

    @Test func `bodies that are no rows are refused, and a page is text`() async throws {
        #expect(try await send(.put, "/jacks/1", body: "[]").status == .badRequest)
        #expect(try await send(.put, "/jacks/1", body: "{").status == .badRequest)
        #expect(try await send(.get, "/help").body == Data("Plug it in.".utf8))
    }

    @Test func `any version is one that there is`() async throws {
        let fields = ["If-Match": "*"]
        #expect(try await send(.put, "/jacks/1", fields: fields, body: "{}").status == .ok)
        #expect(try await send(.put, "/jacks/9", fields: fields, body: "{}").status == .preconditionFailed)
        #expect(service.row("9") == nil)
    }

    @Test func `a write with a key has its effect once`() async throws {
        let fields = ["Idempotency-Key": "k1", "If-Match": "\"1\""]
        let first = try await send(.put, "/jacks/1", fields: fields, body: #"{"label": "a"}"#)
        let again = try await send(.put, "/jacks/1", fields: fields, body: #"{"label": "a"}"#)
        #expect(first.status == .ok && again.status == .ok && again.fields[.etag] == first.fields[.etag])
        #expect(try await send(.put, "/jacks/1", fields: fields, body: "{}").status == .unprocessableContent)
        #expect(try await send(.delete, "/jacks/1", fields: fields).status == .unprocessableContent)
        #expect(service.row("1")?["label"] == "a" && service.row("1")?["etag"]?.string == first.fields[.etag])
        let refused = ["Idempotency-Key": "k2", "If-Match": "\"1\""]
        for _ in 0..<2 {
            #expect(try await send(.delete, "/jacks/1", fields: refused).status == .preconditionFailed)
        }
    }
}
