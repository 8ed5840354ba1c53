import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct HyperHiveSchemaTests {
    typealias Resource = HyperHiveService.Resource

    private func column(_ id: Int64, _ name: String, _ type: String, _ kind: String) -> JSONValue {
        [
            "id": .integer(id), "name": .string(name), "type": .string(type),
            "source": ["name": .string(name.uppercased()), "type": .string(kind), "format": nil],
        ]
    }

    @Test func `the schema has inputs, outputs and the lifetime`() async throws {
        let schema = try await HyperHiveClient.signedIn().send("GET", "schema").json
        #expect(schema.object?.keys.sorted() == ["FRUITS", "FRUITS_CHANGE", "PRICES"])
        let output = [column(1, "id", "BIGINT", "I"), column(2, "name", "TEXT", "C"), column(3, "region", "TEXT", "C")]
        #expect(
            schema["FRUITS"] == [
                "id": 1, "name": "FRUITS", "type": "tabular", "lifetime": "1 day, 0:00:00",
                "input": [
                    "scalar": [column(1, "IV_REGION", "TEXT", "C")],
                    "tabular": [
                        [
                            "id": 1, "name": "IT_FILTER",
                            "columns": [column(1, "name", "TEXT", "C"), column(2, "count", "BIGINT", "I")],
                        ]
                    ],
                ], "output": [["id": 1, "name": "output_table", "columns": .array(output)]],
            ])
        #expect(schema["PRICES"]?["lifetime"] == nil)
        #expect(
            schema["FRUITS_CHANGE"]?["input"]?["tabular"]?.array?.map { $0["name"] } == ["upsert_rows", "delete_ids"])
    }

    @Test func `hhive_id may be listed, and the output may be one object`() async throws {
        var cached = Resource("C", tables: [.init("t", [.init("blob", .other("RAWSTRING"))])])
        cached.listsIdentity = true
        cached.hasSingleOutput = true
        var plain = Resource("P", lifetime: nil, tables: [.init("t", [.init("a")])])
        plain.listsIdentity = true
        let schema = try await HyperHiveClient.signedIn { $0.resources = [cached, plain] }.send("GET", "schema").json
        #expect(
            schema["C"]?["output"] == [
                "id": 1, "name": "t",
                "columns": [column(1, "hhive_id", "BIGINT", "I"), column(2, "blob", "RAWSTRING", "RAWSTRING")],
            ])
        #expect(schema["P"]?["output"]?[0]?["columns"] == [column(1, "a", "TEXT", "C")])
    }

    @Test(
        arguments: [
            (.zero, "0:00:00"), (.seconds(9000), "2:30:00"), (.seconds(86_400 * 2 + 61), "2 days, 0:01:01"),
        ] as [(Duration, String)])
    func `a lifetime is written as days and time`(lifetime: Duration, text: String) async throws {
        let resource = Resource("R", lifetime: lifetime, tables: [.init("t", [.init("a")])])
        let schema = try await HyperHiveClient.signedIn { $0.resources = [resource] }.send("GET", "schema").json
        #expect(schema["R"]?["lifetime"] == .string(text))
    }
}
