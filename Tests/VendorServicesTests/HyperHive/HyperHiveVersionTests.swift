import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct HyperHiveVersionTests {
    @Test func `HyperHive 6: the first load is version 1, and each further one adds 1 without changes`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let first = try await client.delta("v0-last")
        #expect(first.version == "\"delta v0-v1\"")
        #expect(
            first.text == """
                [{"name":"output_table","insert_rows":[[101,1,"Apple","east"],[102,2,"Pear","east"],\
                [103,3,"Груша","west"],[104,4,null,null]],"delete_ids":[]}]
                """)
        let second = try await client.delta("v1-last")
        #expect(second.version == "\"delta v1-v2\"")
        #expect(second.text == #"[{"name":"output_table","insert_rows":[],"delete_ids":[]}]"#)
        #expect(try await client.delta("v0-last").version == "\"delta v0-v3\"")
        #expect(client.service.counts.loads == 3 && client.service.counts.deltas == 3)
    }

    @Test func `HyperHive 7: an update is a deletion and an insertion`() async throws {
        let client = try await HyperHiveClient.signedIn()
        _ = try await client.delta("v0-last")
        let ids = try client.service.change(
            "FRUITS", insert: [[5, "Kiwi", nil]], update: [102: [2, "Pear, sliced", "east"]], delete: [104])
        #expect(ids == [105, 106])
        let delta = try await client.delta("v1-last")
        #expect(
            delta.text == """
                [{"name":"output_table","insert_rows":[[105,2,"Pear, sliced","east"],[106,5,"Kiwi",null]],\
                "delete_ids":[102,104]}]
                """)
        #expect(try client.service.rows(of: "FRUITS").map(\.id) == [101, 103, 105, 106])
    }

    @Test func `a delta between two versions has the changes of all between them`() async throws {
        let client = try await HyperHiveClient.signedIn()
        _ = try await client.delta("v0-last")
        let passing = try client.service.change("FRUITS", insert: [[5, "Kiwi", nil]])
        client.service.load("FRUITS")
        try client.service.change("FRUITS", insert: [[6, "Fig", nil]], delete: passing)
        client.service.load("FRUITS")
        for (range, version, inserted, deleted) in [
            ("v1-v2", "v1-v2", [105], []), ("v2-v3", "v2-v3", [106], [105]), ("v1-v3", "v1-v3", [106], []),
            ("v2-v2", "v2-v2", [], []), ("v1-last", "v1-v4", [106], []),
        ] as [(String, String, [Int64], [Int64])] {
            let delta = try await client.delta(range)
            #expect(delta.version == "\"delta \(version)\"")
            #expect(delta.json.ids("insert_rows") == inserted && delta.json.ids("delete_ids") == deleted)
        }
        // Only `last` loads.
        #expect(client.service.counts.loads == 4)
    }

    @Test(arguments: [
        "v2-v1", "v0-v0", "v1-v0", "v2-last", "v1-v2", "v2-v2", "v0-v2", "last", "v0", "0-1", "v-last", "v0-last-last",
        "v0-Last", "v1-v", "", "v-1-last", "v99999999999999999999-last",
    ])
    func `invalid versions are refused, here after one load`(range: String) async throws {
        let client = try await HyperHiveClient.signedIn()
        _ = try await client.delta("v0-last")
        #expect(try await client.delta(range).status == 400)
        #expect(client.service.counts.loads == 1)
        #expect(try await client.delta("v1-v1").status == 200)
    }

    @Test func `versions belong to user, device and parameters`() async throws {
        var client = try await HyperHiveClient.signedIn { $0.users["bob"] = "b" }
        for _ in 0..<2 { _ = try await client.delta("v0-last") }
        #expect(try await client.delta("v2-last").version == "\"delta v2-v3\"")
        #expect(try await client.delta("v1-last", "FRUITS", ["IV_REGION": "east"]).status == 400)
        #expect(try await client.delta("v0-last", "FRUITS", ["IV_REGION": "east"]).version == "\"delta v0-v1\"")
        // The default, stated: the same parameters.
        #expect(try await client.delta("v3-last", "FRUITS", ["IV_REGION": ""]).version == "\"delta v3-v4\"")
        client.device = "D-2"
        try await client.signIn()
        #expect(try await client.delta("v1-last").status == 400)
        client.device = "D-1"
        try await client.signIn("bob", "b")
        #expect(try await client.delta("v0-last").version == "\"delta v0-v1\"")
    }

    @Test func `a row that leaves the parameters is deleted for them, and others are not mentioned`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let east: JSONValue = ["IV_REGION": "east"]
        _ = try await client.delta("v0-last", "FRUITS", east)
        try client.service.change(
            "FRUITS", update: [101: [1, "Apple", "west"], 103: [3, "Груша", "east"]], delete: [104])
        let delta = try await client.delta("v1-last", "FRUITS", east).json
        #expect(delta[0]?["insert_rows"] == [[106, 3, "Груша", "east"]] && delta.ids("delete_ids") == [101])
    }

    @Test func `without loads on request, only the first one and the schedule load`() async throws {
        let client = try await HyperHiveClient.signedIn { $0.loadsOnRequest = false }
        for _ in 0..<2 { #expect(try await client.delta("v0-last").version == "\"delta v0-v1\"") }
        try client.service.change("FRUITS", delete: [101])
        #expect(try await client.delta("v1-last").version == "\"delta v1-v1\"")
        client.service.load("FRUITS")
        let delta = try await client.delta("v1-last")
        #expect(delta.version == "\"delta v1-v2\"" && delta.json.ids("delete_ids") == [101])
    }

    @Test func `a reset of the cache makes later versions invalid`() async throws {
        let client = try await HyperHiveClient.signedIn()
        _ = try await client.delta("v0-last")
        client.service.forgetVersions()
        #expect(try await client.delta("v1-last").status == 400)
        #expect(try await client.delta("v0-last").version == "\"delta v0-v1\"")
    }

    @Test func `a full table has the rows with hhive_id, and loads too`() async throws {
        let client = try await HyperHiveClient.signedIn()
        let full = try await client.call("FRUITS", ["IV_REGION": "west"])
        #expect(full.text == #"[{"name":"output_table","data":[[103,3,"Груша","west"]]}]"#)
        #expect(full.version == "1" && client.service.counts.fullResponses == 1)
        let delta = try await client.delta("v1-last", "FRUITS", ["IV_REGION": "west"])
        #expect(delta.version == "\"delta v1-v2\"" && delta.json.ids("insert_rows").isEmpty)
    }

    @Test(
        arguments: [
            (.quotedDelta, "\"delta v0-v1\""), (.delta, "delta v0-v1"), (.version, "v1"), (.number, "1"),
        ] as [(HyperHiveService.VersionForm, String)])
    func `HyperHive 11: Content-Version has several forms`(
        form: HyperHiveService.VersionForm, text: String
    ) async throws {
        let client = try await HyperHiveClient.signedIn {
            $0.deltaVersionForm = form
            $0.fullVersionForm = form
        }
        #expect(try await client.delta("v0-last").version == text)
        #expect(try await client.call("FRUITS", ["IV_REGION": "x"]).version == text)
    }

    @Test func `several tables change together`() async throws {
        let resource = HyperHiveService.Resource(
            "R", tables: [.init("a", [.init("x")], rows: [["1"]]), .init("b", [.init("y"), .init("z")])])
        let client = try await HyperHiveClient.signedIn { $0.resources = [resource] }
        #expect(
            try await client.delta("v0-last", "R").text == """
                [{"name":"a","insert_rows":[[101,"1"]],"delete_ids":[]},\
                {"name":"b","insert_rows":[],"delete_ids":[]}]
                """)
        try client.service.change("R", table: "b", insert: [["\"q\"\n", nil]])
        try client.service.change("R", delete: [101])
        #expect(
            try await client.delta("v1-last", "R").text == """
                [{"name":"a","insert_rows":[],"delete_ids":[101]},\
                {"name":"b","insert_rows":[[101,"\\"q\\"\\n",null]],"delete_ids":[]}]
                """)
    }
}
