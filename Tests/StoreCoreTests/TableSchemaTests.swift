import StoreCore
import Testing

@Suite struct TableSchemaTests {
    @Test func `create statement quotes names`() throws {
        let schema = try TableSchema(
            "a\"b", columns: [.init("select", "VARCHAR(10, 2)", isNotNull: true), .init("c")],
            primaryKey: ["C", "select"])
        #expect(
            try schema.createStatement()
                == #"CREATE TABLE "a""b" ("select" VARCHAR(10, 2) NOT NULL, "c", PRIMARY KEY ("C", "select"))"#)
        #expect(schema.index(of: "SELECT") == 0)
        #expect(schema.index(of: "d") == nil)
    }

    @Test(arguments: ["", "INTEGER", "UNSIGNED BIG INT", "double precision", "DECIMAL(10,5)", "NUMERIC ( 3 )", "x_1"])
    func `type names are accepted`(type: String) throws {
        #expect(throws: Never.self) { try TableSchema("t", columns: [.init("a", type)]).createStatement() }
    }

    @Test(arguments: [
        "INTEGER PRIMARY KEY", "TEXT DEFAULT 'x'", "TEXT)", "INT, b INT", "INT /*", "INT--", "(1)", "INT()", "INT(1",
        "INT(x)", "INT(1,2,3)", "1", "INT;", "TEXT NOT NULL", "INT\0", "INT (1) x", "TEXT COLLATE NOCASE", "\"x\"",
    ])
    func `constraints in a type are rejected`(type: String) throws {
        let error = #expect(throws: StoreError.self) {
            try TableSchema("t", columns: [.init("a", type)]).createStatement()
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `invalid schemas are rejected`() {
        func code(_ name: SQLIdentifier, _ columns: [SQLIdentifier], _ key: [SQLIdentifier] = []) -> StoreError.Code? {
            #expect(throws: StoreError.self) {
                try TableSchema(name, columns: columns.map { .init($0) }, primaryKey: key)
            }?.code
        }
        #expect(code("", ["a"]) == .invalidArgument)
        #expect(code("t", []) == .invalidArgument)
        #expect(code("t", ["a", "A"]) == .invalidArgument)
        #expect(code("t", ["a", "b\0"]) == .invalidArgument)
        #expect(code("t", ["a"], ["b"]) == .invalidArgument)
        #expect(code("t", ["a"], ["a", "A"]) == .invalidArgument)
    }
}
