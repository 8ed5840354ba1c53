import LocalStore
import Testing

@Suite struct TableConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func aTableIsMadeAsItsSchemaSays(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let schema = try TableSchema(
                "Odd \"name\"",
                columns: [.init("b", "VARCHAR(20)", isNotNull: true), .init("a", "INTEGER"), .init("select")],
                primaryKey: ["a", "b"])
            try store.create(schema)
            #expect(try store.schema(of: "odd \"NAME\"") == schema)
            #expect(try store.schema(of: "jack") == StoreUnderTest.jacks)
            #expect(try store.schema(of: "nowhere") == nil)
            #expect(try store.schema(of: "") == nil)
            #expect(#expect(throws: StoreError.self) { try store.create(schema) }?.code == .tableExists)
            let refusal = #expect(throws: StoreError.self) {
                try store.execute("INSERT INTO \(schema.name.quoted) (a) VALUES (1)")
            }
            #expect(refusal?.code == .constraint)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func tablesAreListedByAPattern(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            for name in ["Fruits_1", "fruitsX3", "fruits_2", "zebra"] {
                try store.create(try TableSchema(SQLIdentifier(name), columns: [.init("a")]))
            }
            // Not every store knows views; where there is one, it is not among the tables.
            do { try store.execute("CREATE VIEW fruits_view AS SELECT 1 AS a") } catch let error as StoreError {
                #expect(error.code == .unsupportedSQL)
            }
            #expect(try store.tables() == ["Fruits_1", "fruitsX3", "fruits_2", "jack", "zebra"])
            #expect(try store.tables(like: "fruits_%") == ["Fruits_1", "fruitsX3", "fruits_2"])
            #expect(try store.tables(like: "%a") == ["zebra"])
            #expect(try store.tables(like: "%'%") == [])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func aTableTakesThePlaceOfAnother(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.create(
                try TableSchema("shadow", columns: [.init("id", "INTEGER"), .init("new")], primaryKey: ["id"]))
            try store.execute("INSERT INTO shadow VALUES (2, 'x')")
            try store.replace("jack", with: "shadow")
            #expect(try store.rows("SELECT * FROM jack") == [[2, "x"]])
            #expect(try store.tables() == ["jack"])
            try store.replace("moved", with: "jack")
            #expect(try store.tables() == ["moved"])
            #expect(#expect(throws: StoreError.self) { try store.replace("moved", with: "jack") }?.code == .noSuchTable)
            #expect(try store.rows("SELECT * FROM moved") == [[2, "x"]])
        }
    }
}
