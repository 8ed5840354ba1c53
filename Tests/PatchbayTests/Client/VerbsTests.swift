import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@Suite struct VerbsTests {
    private typealias Call = @Sendable (APIClient, @escaping @Sendable (TransferProgress) -> Void) async throws -> Void

    /// Each verb with each result; those with a body send `123`.
    private static let calls: [Call] = [
        { let _: JSONValue = try await $0.get("a", timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.get("a", timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.get("a", timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.post("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.post("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.post("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.put("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.put("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.put("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.patch("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        {
            let _: Response<JSONValue> = try await $0.patch("a", body: .text("123"), timeout: .seconds(5), progress: $1)
        },
        { let _: HTTPResponse = try await $0.patch("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.delete("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        {
            let _: Response<JSONValue> = try await $0.delete(
                "a", body: .text("123"), timeout: .seconds(5), progress: $1)
        },
        { let _: HTTPResponse = try await $0.delete("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.query("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        {
            let _: Response<JSONValue> = try await $0.query("a", body: .text("123"), timeout: .seconds(5), progress: $1)
        },
        { let _: HTTPResponse = try await $0.query("a", body: .text("123"), timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.post("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.post("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.post("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.put("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.put("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.put("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.patch("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.patch("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.patch("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.delete("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.delete("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.delete("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: JSONValue = try await $0.query("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: Response<JSONValue> = try await $0.query("a", json: 123, timeout: .seconds(5), progress: $1) },
        { let _: HTTPResponse = try await $0.query("a", json: 123, timeout: .seconds(5), progress: $1) },
    ]

    /// Makes a call, and returns its progress.
    private func progress(of call: Call) async throws -> [TransferProgress] {
        let transport = ScriptedTransport([], then: .text("12345"))
        let client = try APIClient("https://example.com", over: transport, clock: ManualClock())
        let seen = Watched<[TransferProgress]>([])
        try await call(client) { progress in seen.update { $0.append(progress) } }
        #expect(transport.requests.map(\.options.timeouts.total) == [.seconds(5)])
        return seen.value
    }

    @Test func `1: each verb takes a timeout and reports progress`() async throws {
        for (index, call) in Self.calls.enumerated() {
            let seen = try await progress(of: call)
            #expect(seen.last == TransferProgress(.download, completed: 5, total: 5), "call \(index)")
            // The first three are those of GET.
            #expect(seen.contains(TransferProgress(.upload, completed: 3, total: 3)) == (index > 2), "call \(index)")
        }
        #expect(try await progress { client, _ in try await client.head("a", timeout: .seconds(5)) }.isEmpty)
    }

    @Test func `1: a sent call without a type of its result has the bytes, and one of Void none`() async throws {
        let transport = ScriptedTransport([], then: .text("12345"))
        let client = try APIClient("https://example.com", over: transport)
        try await client.send(.delete("a"))
        let response = try await client.send(.get("a"))
        #expect(response.body.count == 5)
        let _: Void = try await client.send(EndpointRequest<Void>(.delete, "a"))
        #expect(transport.requests.map(\.method) == [.delete, .get, .delete])
    }

    @Test func `1: the request of a call needs no type of its result`() throws {
        let client = try APIClient("https://example.com/v1") { $0.query = ["v": 1] }
        let request = try client.request(for: .put("orders/\(7)", json: 123))
        #expect(request.method == .put && request.url.absoluteString == "https://example.com/v1/orders/7?v=1")
        #expect(request.body.length == 3 && request.fields[.contentType] == "application/json")
        #expect(try client.request(for: .delete("orders/\(7)")).method == .delete)
    }

    @Test func `1: parameters of a call replace those of the client, also in its path`() throws {
        let client = try APIClient("https://example.com") { $0.query = ["page": 1, "v": 1] }
        let template = try RequestPath(URITemplate("a{?page}"), ["page": "2"])
        let calls: [EndpointRequest<HTTPResponse>] = [
            .get("a?page=\(2)"), .get(template), .get("a", query: ["page": 2]), .get("a?v=\(1)&page=\(2)"), .get("a?x"),
        ]
        #expect(
            try calls.map { try client.request(for: $0).url.query() } == [
                "page=2&v=1", "page=2&v=1", "v=1&page=2", "v=1&page=2", "x&page=1&v=1",
            ])
    }

    @Test func `1: uploads and downloads take a timeout and report progress`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let calls: [Call] = [
            { try await $0.download("a", to: file, timeout: .seconds(5), progress: $1) },
            { let _: JSONValue = try await $0.upload(file, to: "a", timeout: .seconds(5), progress: $1) },
            { try await $0.upload(file, to: "a", timeout: .seconds(5), progress: $1) },
        ]
        for (index, call) in calls.enumerated() {
            let seen = try await progress(of: call)
            #expect(seen.last?.completed == 5 && seen.last?.direction == .download, "call \(index)")
            #expect(seen.contains(TransferProgress(.upload, completed: 5, total: 5)) == (index > 0), "call \(index)")
        }
    }

    @Test func `a secret in the query of a literal path is in no name of a call`() throws {
        let call = EndpointRequest<JSONValue>.get("items?apikey=k-4711&page=\(2)")
        let request = try APIClient("https://example.com", over: ScriptedTransport([])).request(for: call)
        #expect(request.url.absoluteString == "https://example.com/items?apikey=k-4711&page=2")
        #expect(request.options.urlTemplate == "/items?apikey=<redacted>&page={}")
        #expect(call.description == "GET items?apikey=<redacted>&page={}")
    }

    @Test(
        arguments: [
            ("https://example.com", "orders/\(7)", "/orders/{}"),
            ("https://example.com/", "/orders/\(7)", "/orders/{}"),
            ("https://example.com/v1", "orders/\(7)", "/orders/{}"),
            ("https://example.com/v1/", "//orders?page=\(2)", "/orders?page={}"),
            ("https://example.com", "", "/"), ("https://example.com/v1", "?page=\(2)", "/?page={}"),
            ("https://example.com/v1", "/", "/"), ("https://example.com/v1", RequestPath(verbatim: "a/7"), "/{}"),
        ] as [(String, RequestPath, String)])
    func `the template of a call is its path below the base`(base: String, path: RequestPath, template: String) throws {
        let request = try APIClient(base, over: ScriptedTransport([])).request(
            for: EndpointRequest<JSONValue>.get(path))
        #expect(request.options.urlTemplate == template)
    }
}
