import Delegation
import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct RawCallTests {
    @Test func `rows in memory, without a database`() async throws {
        try await Hive.serving { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            let tables = try await hive.client.table("FRUITS", parameters: #"{"IV_REGION":"east"}"#)
            #expect(tables.map(\.name) == ["output_table"])
            #expect(tables[0].rows == [[101, 1, "Apple", "east"], [102, 2, "Pear", "east"]])
            let response = try await hive.client.request("PRICES")
            #expect(response.status == .ok && response.body.starts(with: Data("[{".utf8)))
        }
    }

    @Test func `a body is sent unchanged, with header fields and query`() async throws {
        let transport = ScriptedTransport([], then: .text("done"))
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        let options = HyperHiveCallOptions(headers: ["Content-Type": "text/plain"], query: ["a": "1"])
        let response = try await client.request("R", body: Data("any text".utf8), options: options)
        #expect(response.body == Data("done".utf8))
        let request = try #require(transport.requests.first)
        #expect(request.url.absoluteString == "http://h/api/v1/rpc/R/?a=1")
        #expect(request.fields["Content-Type"] == "text/plain" && request.fields["Authorization"] == nil)
        try await #expect(request.body.collect() == Data("any text".utf8))
        let error = await #expect(throws: HyperHiveError.self) { try await client.table("R") }
        #expect(error?.code == .malformedResponse && error?.result.status == .error)
    }

    @Test func `HyperHive 21: a token that the server repeats is not in the envelope`() async throws {
        let transport = FakeTransport { request in
            guard !request.url.path().contains("/auth") else { return request.response(json: ["token": "t0ken-t0ken"]) }
            let sent = request.fields[.authorization] ?? ""
            return request.response(json: ["echo": [.string(sent), 7], "token": "x", "note": "Ann"])
        }
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        try await client.signIn("ann", password: "p")
        let controller = HHFWController(client: client)
        controller.delivery = .inline
        let envelope = await result { handler in
            controller.request("R", requestCallParams: nil, handler: handler)
        }
        // What the app asks for stays.
        #expect(envelope["result"]?["raw"] == ["echo": ["Bearer <redacted>", 7], "token": "x", "note": "Ann"])
        #expect(!envelope.description.contains("t0ken"))
    }

    @Test func `numbers keep their digits`() async throws {
        let numbers = ["12345678901234567890", "0.1234567890123456789", "9223372036854775807", "0.30000000000000004"]
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"),
            transport: ScriptedTransport(
                [], then: .text("[{\"name\":\"t\",\"data\":[[\(numbers.joined(separator: ","))]]}]"))
        )
        let cells = try await client.table("R").first?.rows.first
        #expect(cells == [.string(numbers[0]), .string(numbers[1]), .integer(.max), .number(0.1 + 0.2)])
    }

    @Test func `a response beyond the limit is an error`() async throws {
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"),
            transport: ScriptedTransport([], then: .text("0123456789")),
            options: HyperHiveOptions(maximumResponseBytes: 9))
        let error = await #expect(throws: HyperHiveError.self) { try await client.request("R") }
        #expect((error?.underlying as? TransportError)?.code == .responseTooLarge)
        #expect(error?.result.errors.first?.code == 56)
    }

    @Test(arguments: ["<html>Log in to the hotel</html>", ""])
    func `HyperHive 16: a page or nothing in place of JSON is an error, with its text in raw`(body: String) async throws
    {
        let page = try HTTPFields(["Content-Type": "text/html; charset=utf-8"])
        let raw: JSONValue? = body.isEmpty ? nil : .string(body)
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"),
            transport: ScriptedTransport([], then: .response(fields: page, body: Data(body.utf8))))
        let controller = HHFWController(client: client)
        controller.delivery = .inline
        let id = UUID().uuidString
        var envelopes = [
            await result { controller.tableAsync("R", transactionID: nil, tableCallParams: nil, handler: $0) },
            await result { controller.getAllTransactionResourceName("R", handler: $0) },
            await result { controller.getTransaction(id, resourceName: "R", handler: $0) },
        ]
        envelopes += try await onThread {
            let results = Mutex<[JSONValue]>([])
            let handler: (Any?) -> Void = { object in results.withLock { $0.append(envelope(object)) } }
            controller.table("R", transactionID: nil, tableCallParams: nil, handler: handler)
            controller.retryTable("R", transactionID: id, tableCallParams: nil, handler: handler)
            return results.withLock { $0 }
        }
        let deletion = await result { controller.deleteTransaction(id, resourceName: "R", handler: $0) }
        if body.isEmpty { #expect(deletion["status"] == "ok") } else { envelopes.append(deletion) }
        #expect(envelopes.count == (body.isEmpty ? 5 : 6))
        for envelope in envelopes {
            #expect(envelope["status"] == "error" && envelope["http"]?["status"] == 200)
            #expect(envelope["errors"]?[0]?["source"] == "cURL" && envelope["errors"]?[0]?["code"] == 56)
            #expect(envelope["result"]?["raw"] == raw)
        }
        // Others may have any response.
        let request = await result { controller.request("R", requestCallParams: nil, handler: $0) }
        #expect(request["status"] == "ok" && request["result"]?["raw"] == raw)
        let error = await #expect(throws: HyperHiveError.self) { try await client.table("R") }
        #expect(error?.code == .malformedResponse)
        #expect(error?.message.contains(body.isEmpty ? "it is empty" : "text/html") == true)
    }

    @Test func `sign-in, schema and transactions are not taken from a cache in the transport`() async throws {
        let transport = ScriptedTransport(
            [.json(["token": "t0ken"]), .json([:]), .json([]), .json([:])], then: .json([]))
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        try await client.signIn("ann", password: "open sesame")
        try client.openDatabase(":memory:")
        #expect(try await client.loadResources(into: ":memory:").isEmpty)
        #expect(try await client.transactions(of: "R").isEmpty)
        _ = try await client.transaction(UUID().uuidString, of: "R")
        _ = try await client.table("R")
        let policies = transport.requests.map(\.options.cachePolicy)
        #expect(policies == [.noStore, .noStore, .noStore, .noStore, .standard])
    }

    @Test func `HyperHive 22: transactions are listed, repeated and deleted`() async throws {
        try await Hive.serving { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            let id = UUID().uuidString
            let first = try await hive.client.table("PRICES", options: HyperHiveCallOptions(transactionID: id))
            #expect(try await hive.client.transactions(of: "PRICES") == [id.lowercased()])
            try hive.service.change("PRICES", insert: [[3, 9.5]])
            // The stored response, not the new rows.
            #expect(try await hive.client.retryTable("PRICES", transactionID: id) == first)
            #expect(hive.sent("X-Transaction-ID") == [id, id])
            let stored = try JSONValue(parsing: await hive.client.transaction(id, of: "PRICES").body)
            #expect(stored[0]?["name"] == "output_table")
            try await hive.client.deleteTransaction(id, of: "PRICES")
            #expect(try await hive.client.transactions(of: "PRICES") == [])
            let error = await #expect(throws: HyperHiveError.self) {
                try await hive.client.transaction(id, of: "PRICES")
            }
            #expect(error?.code == .status && error?.result.errors.first?.code == 404)
        }
    }

    @Test(arguments: ["", "7", "not-a-uuid"])
    func `HyperHive 22: an ID that is no UUID is refused before anything is sent`(id: String) async throws {
        let transport = ScriptedTransport([])
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        let error = await #expect(throws: HyperHiveError.self) {
            try await client.table("R", options: HyperHiveCallOptions(transactionID: id))
        }
        #expect(error?.code == .invalidArgument && transport.requests.isEmpty)
        let retry = await #expect(throws: HyperHiveError.self) { try await client.retryTable("R", transactionID: id) }
        #expect(retry?.code == .invalidArgument && transport.requests.isEmpty)
    }
}
