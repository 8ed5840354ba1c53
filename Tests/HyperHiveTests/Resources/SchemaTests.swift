import JSON
import StoreCore
import Testing

@testable import HyperHive

@Suite struct SchemaTests {
    private func resource(_ entry: String) throws -> HyperHiveResource {
        let schema = try ResourceSchema(JSONValue(parsing: "{\"R\":\(entry)}"))
        return try #require(try schema.resource("R"))
    }

    @Test func `HyperHive 12: inputs, outputs and lifetime`() throws {
        let resource = try resource(
            #"""
            {"id": 7, "name": "R", "type": "tabular", "lifetime": "1 day, 0:00:00",
             "input": {"scalar": [{"id": 1, "name": "IV_REGION", "type": "TEXT"}],
                       "tabular": [{"id": 2, "name": "IT_FILTER",
                                    "columns": [{"name": "KIND", "type": "TEXT"}, {"name": "N", "type": "BIGINT"}]}]},
             "output": [{"name": "fruits",
                         "columns": [{"name": "id", "type": "bigint"}, {"name": "price", "type": "DOUBLE"}]},
                        {"name": "trees", "columns": [{"name": "id"}]}]}
            """#)
        #expect(
            resource
                == HyperHiveResource(
                    "R", lifetime: "1 day, 0:00:00", scalarInputs: ["IV_REGION"],
                    tableInputs: [.init("IT_FILTER", columns: [.init("KIND", .text), .init("N", .bigint)])],
                    outputs: [
                        .init("fruits", columns: [.init("id", .bigint), .init("price", .double)]),
                        .init("trees", columns: [.init("id", .text)]),
                    ]))
        #expect(resource.isCached)
    }

    @Test(arguments: [
        "{}", #"{"lifetime":null,"input":null,"output":null}"#, #"{"input":{"scalar":null,"tabular":[]}}"#,
    ])
    func `HyperHive 12: missing members`(_ entry: String) throws {
        #expect(try resource(entry) == HyperHiveResource("R"))
        #expect(try !resource(entry).isCached)
    }

    @Test(arguments: [
        (#"{"output":{"columns":[{"name":"a"}]}}"#, ["output_table"]),
        (#"{"output":[{"columns":["a"]}]}"#, ["output_table"]),
        (#"{"output":[{"id":"t","columns":[{"id":"a"}]}]}"#, ["t"]),
        (#"{"output":{"u":{"columns":["a"]},"t":["a"]}}"#, ["t", "u"]),
    ])
    func `HyperHive 12: tables and columns by identifier, by key, or a single table without a name`(
        _ entry: String, names: [String]
    ) throws {
        #expect(try resource(entry).outputs == names.map { .init($0, columns: [.init("a", .text)]) })
    }

    @Test(arguments: ["\"\"", "\" \"", "null"])
    func `HyperHive 12: without a lifetime, or with an empty one, a resource is not cached`(lifetime: String) throws {
        #expect(try !resource("{\"lifetime\":\(lifetime)}").isCached)
    }

    @Test func `HyperHive 12: a single output object is a list of one`() throws {
        let resource = try resource(#"{"output":{"name":"t","columns":{"name":"a","type":"TEXT"}}}"#)
        #expect(resource.outputs == [.init("t", columns: [.init("a", .text)])])
    }

    @Test(arguments: [
        (#""type":"TEXT""#, HyperHiveResource.ColumnType.text), (#""type":"BIGINT""#, .bigint),
        (#""type":"integer""#, .bigint), (#""type":"int8""#, .bigint), (#""type":"float""#, .double),
        (#""type":"real""#, .double), (#""type":"varchar(20)""#, .text), (#""type":"datetime""#, .text),
        (#""type":"DOUBLE""#, .double), (#""type":"GEOMETRY""#, .text), (#""type":7"#, .text), (#""id":1"#, .text),
        (#""source":{"type":"I"}"#, .bigint), (#""source":{"type":"s"}"#, .bigint),
        (#""source":{"type":"b"}"#, .bigint),
        (#""source":{"type":"P"}"#, .double), (#""source":{"type":"D"}"#, .text), (#""source":{"type":"S"}"#, .text),
    ])
    func `HyperHive 12: column types, unknown ones as text`(_ type: String, _ expected: HyperHiveResource.ColumnType)
        throws
    {
        let resource = try resource(#"{"output":[{"name":"t","columns":[{"name":"a",\#(type)}]}]}"#)
        #expect(resource.outputs.first?.columns == [.init("a", expected)])
    }

    @Test func `HyperHive 12: hhive_id is the first column and the key of a cached resource, added once`() throws {
        let plain = HyperHiveResource.Table("t", columns: [.init("a", .text)])
        let listed = HyperHiveResource.Table("t", columns: [.init("a", .text), .init("HHIVE_ID", .bigint)])
        func schema(_ table: HyperHiveResource.Table, lifetime: String?) throws -> TableSchema {
            try HyperHiveResource("R", lifetime: lifetime, outputs: [table]).localSchema(of: table, named: "R_t")
        }
        #expect(
            try schema(plain, lifetime: "1 day")
                == TableSchema(
                    "R_t", columns: [.init("hhive_id", "INTEGER"), .init("a", "TEXT")], primaryKey: ["hhive_id"]))
        #expect(
            try schema(listed, lifetime: "1 day")
                == TableSchema(
                    "R_t", columns: [.init("a", "TEXT"), .init("HHIVE_ID", "INTEGER")], primaryKey: ["hhive_id"]))
        #expect(try schema(plain, lifetime: nil) == TableSchema("R_t", columns: [.init("a", "TEXT")]))
    }

    @Test(arguments: [
        ("[]", "keyed by resource name"), (#"{"R":[]}"#, "its entry"),
        (#"{"R":{"input":[]}}"#, "input is not an object"),
        (#"{"R":{"input":{"scalar":[{}]}}}"#, "input.scalar"), (#"{"R":{"lifetime":[]}}"#, "lifetime"),
        (#"{"R":{"output":[{"columns":["a"]},{"columns":["a"]}]}}"#, "output has an element without a name"),
        (#"{"R":{"output":[{"columns":[]}]}}"#, "output.output_table has no columns"),
        (#"{"R":{"output":{"name":"t","columns":{"a":{"type":"TEXT"}}}}}"#, "output.t.columns"),
        (#"{"R":{"output":[{"name":"t"}]}}"#, "output.t has no columns"),
        (#"{"R":{"output":[{"name":"t","columns":[{"name":""}]}]}}"#, "output.t.columns"),
        (#"{"R":{"output":[{"name":"t","columns":[{"name":"a"}]},{"name":"t","columns":[{"name":"a"}]}]}}"#, "twice"),
    ])
    func `HyperHive 12: an invalid schema is an error that names the place`(_ text: String, _ place: String) throws {
        let error = #expect(throws: ResourceError.self) {
            try ResourceSchema(JSONValue(parsing: text)).resource("R")
        }
        #expect(error?.code == .invalidSchema)
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
    }

    @Test func `HyperHive 12: an invalid entry leaves the other resources usable`() throws {
        let schema = try ResourceSchema(
            JSONValue(parsing: #"{"B":{"output":{"name":"t"}},"C":{},"A":{"lifetime":"1 day"}}"#))
        #expect(schema.resources == [HyperHiveResource("A", lifetime: "1 day"), HyperHiveResource("C")])
        #expect(try schema.resource("C") == HyperHiveResource("C"))
        #expect(try schema.resource("D") == nil)
        let error = #expect(throws: ResourceError.self) { try schema.resource("B") }
        #expect(error?.message == "Invalid schema of resource B: output.t has no columns.")
    }
}
