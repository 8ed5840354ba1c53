import LocalStore
import StoreTestSupport
import Testing

@Suite struct TableConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func createTableFollowsTheSchema(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let schema = try TableSchema(
                "Odd \"name\"",
                columns: [.init("b", "VARCHAR(20)", isNotNull: true), .init("a", "INTEGER"), .init("select")],
                primaryKey: ["a", "b"])
            try store.createTable(schema)
            #expect(try store.schema(of: "odd \"NAME\"") == schema)
            #expect(try store.schema(of: "jack") == StoreUnderTest.jacks)
            #expect(try store.schema(of: "nowhere") == nil)
            #expect(try store.schema(of: "") == nil)
            #expect(#expect(throws: StoreError.self) { try store.createTable(schema) }?.code == .tableExists)
            let refusal = #expect(throws: StoreError.self) {
                try store.execute("INSERT INTO \(schema.name.quoted) (a) VALUES (1)")
            }
            #expect(refusal?.code == .constraint)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func tableNamesMatchAPattern(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            for name in ["Fruits_1", "fruitsX3", "fruits_2", "zebra"] {
                try store.createTable(try TableSchema(SQLIdentifier(name), columns: [.init("a")]))
            }
            // Not every store supports views; a view is not listed as a table.
            do { try store.execute("CREATE VIEW fruits_view AS SELECT 1 AS a") } catch let error as StoreError {
                #expect(error.code == .unsupportedSQL)
            }
            #expect(try store.tableNames() == ["Fruits_1", "fruitsX3", "fruits_2", "jack", "zebra"])
            #expect(try store.tableNames(like: "fruits_%") == ["Fruits_1", "fruitsX3", "fruits_2"])
            #expect(try store.tableNames(like: "%a") == ["zebra"])
            #expect(try store.tableNames(like: "%'%") == [])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func swapTableReplacesATable(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.createTable(
                try TableSchema("shadow", columns: [.init("id", "INTEGER"), .init("new")], primaryKey: ["id"]))
            try store.execute("INSERT INTO shadow VALUES (2, 'x')")
            try store.swapTable("jack", for: "shadow")
            #expect(try store.rows("SELECT * FROM jack") == [[2, "x"]])
            #expect(try store.tableNames() == ["jack"])
            try store.swapTable("moved", for: "jack")
            #expect(try store.tableNames() == ["moved"])
            #expect(
                #expect(throws: StoreError.self) { try store.swapTable("moved", for: "jack") }?.code == .noSuchTable)
            #expect(try store.rows("SELECT * FROM moved") == [[2, "x"]])
        }
    }
}
