import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct HyperHiveInputTests {
    private let fruits = "FRUITS"

    @Test(
        arguments: [
            ([:], [101, 102, 103, 104]), (["IV_REGION": "east"], [101, 102]),
            (["IV_REGION": ""], [101, 102, 103, 104]),
            (["IT_FILTER": [["Pear", 2], ["Apple"]]], [101, 102]), (["IT_FILTER": []], [101, 102, 103, 104]),
            (["IV_REGION": "west", "IT_FILTER": [["Apple", 1]]], []), (["IT_FILTER": [[nil, nil]]], [104]),
        ] as [(JSONValue, [Int64])])
    func `parameters select rows`(inputs: JSONValue, ids: [Int64]) async throws {
        let client = try await HyperHiveClient.signedIn()
        let delta = try await client.delta("v0-last", fruits, inputs)
        #expect(delta.status == 200 && delta.json.ids("insert_rows") == ids)
        #expect(delta.json.ids("delete_ids") == [])
        #expect(try await client.call(fruits, inputs).json.ids("data") == ids)
    }

    @Test(
        arguments: [
            ["IV_REGION": 1], ["IV_UNKNOWN": "x"], ["IT_FILTER": "x"], ["IT_FILTER": ["x"]], ["IT_FILTER": [[1]]],
            ["IT_FILTER": [["a", 1, 2]]], ["IT_FILTER": [["a", "1"]]], ["IT_FILTER": [["name": "a"]]], [], "x",
        ] as [JSONValue])
    func `invalid parameters are refused`(inputs: JSONValue) async throws {
        let client = try await HyperHiveClient.signedIn()
        let response = try await client.delta("v0-last", fruits, inputs)
        #expect(response.status == 400 && response.json["code"] == 400)
        #expect(client.service.counts.loads == 0)
    }

    @Test func `GET takes scalars from the query, and HEAD has no body`() async throws {
        let client = try await HyperHiveClient.signedIn()
        #expect(try await client.send("GET", "rpc/FRUITS/?IV_REGION=west").json.ids("data") == [103])
        let head = try await client.send("HEAD", "rpc/FRUITS/")
        #expect(head.status == 200 && head.body.isEmpty && head.version == "1")
        let options = try await client.send("OPTIONS", "rpc/FRUITS/", ["Origin": "http://app.test"])
        #expect(options.status == 204 && options.fields["Allow"] == "POST, GET, HEAD, OPTIONS")
        #expect(options.fields["Access-Control-Allow-Origin"] == "*")
    }

    @Test func `a resource that is not cached has neither hhive_id nor versions`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let full = try await client.call("PRICES")
        #expect(full.text == #"[{"name":"output_table","data":[[1,0.5],[2,1.25]]}]"# && full.version == nil)
        #expect(try await client.delta("v0-last", "PRICES").status == 400)
        let etag = try #require(full.etag)
        #expect(try await client.call("PRICES", [:], ["If-None-Match": etag]).status == 304)
        try client.service.change("PRICES", insert: [[3, nil]])
        let changed = try await client.call("PRICES", [:], ["If-None-Match": etag])
        #expect(changed.status == 200 && changed.json[0]?["data"]?[2] == [3, nil])
        #expect(try await client.call("PRICES", [:], ["If-Match": etag]).status == 412)
    }

    @Test func `upserts come before deletions, and both change the other resource`() async throws {
        let client = try await HyperHiveClient.signedIn()
        _ = try await client.delta("v0-last")
        let response = try await client.call(
            "FRUITS_CHANGE",
            [
                "upsert_rows": [[2, "Pear, sliced", "east"], [5, "Kiwi", nil], [6, "Fig"]],
                "delete_ids": [[1], [6], [99]],
            ])
        #expect(response.json == [["name": "result", "data": [[3, 2]]]])
        let delta = try await client.delta("v1-last").json
        #expect(delta[0]?["insert_rows"] == [[105, 2, "Pear, sliced", "east"], [106, 5, "Kiwi", nil]])
        #expect(delta.ids("delete_ids") == [101, 102])
        #expect(try client.service.rows(of: "FRUITS").map(\.id) == [103, 104, 105, 106])
        #expect(client.service.counts.changes == 1)
        #expect(try await client.delta("v0-last", "FRUITS_CHANGE").status == 400)
    }

    @Test func `generated rows cannot be changed by a resource`() async throws {
        let big = HyperHiveService.Resource("BIG", tables: [.init("t", [.init("id", .bigint)], generated: 3)])
        let client = try await HyperHiveClient.signedIn { $0.resources = [big, .crud("C", changing: big, key: "id")] }
        #expect(try await client.call("C", ["delete_ids": [[1]]]).status == 400)
        #expect(throws: HyperHiveContentError.self) { try client.service.change("BIG", insert: [[1]]) }
        #expect(throws: HyperHiveContentError.self) { try client.service.change("NONE") }
        #expect(throws: HyperHiveContentError.self) { try client.service.changeGenerated("C") }
        #expect(client.service.counts.changes == 0)
    }
}
