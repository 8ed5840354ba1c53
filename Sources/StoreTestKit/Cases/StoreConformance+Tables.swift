import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Creating, listing and swapping tables.
    static let tables: [StoreConformanceCase] = [
        StoreConformanceCase("create table follows the schema") { store, _ in
            let schema = try TableSchema(
                "Odd \"name\"",
                columns: [.init("b", "VARCHAR(20)", isNotNull: true), .init("a", "INTEGER"), .init("select")],
                primaryKey: ["a", "b"])
            try store.createTable(schema)
            try expect(store.schema(of: "odd \"NAME\""), is: schema)
            try expect(store.schema(of: "jack"), is: jacks)
            try expect(store.schema(of: "nowhere"), is: nil)
            try expect(store.schema(of: ""), is: nil)
            try expectError(.tableExists) { try store.createTable(schema) }
            try expectError(.constraint) {
                try store.execute("INSERT INTO \(schema.name.quoted) (a) VALUES (1)", [])
            }
        },
        StoreConformanceCase("table names match a pattern") { store, _ in
            for name in ["Fruits_1", "fruitsX3", "fruits_2", "zebra"] {
                try store.createTable(try TableSchema(SQLIdentifier(name), columns: [.init("a")]))
            }
            // Not every store supports views; a view is not listed as a table.
            do { try store.execute("CREATE VIEW fruits_view AS SELECT 1 AS a") } catch let error as StoreError {
                try expect(error.code, is: .unsupportedSQL)
            }
            try expect(store.tableNames(), is: ["Fruits_1", "fruitsX3", "fruits_2", "jack", "zebra"])
            try expect(store.tableNames(like: "fruits_%"), is: ["Fruits_1", "fruitsX3", "fruits_2"])
            try expect(store.tableNames(like: "%a"), is: ["zebra"])
            try expect(store.tableNames(like: "%'%"), is: [])
        },
        StoreConformanceCase("swap table replaces a table") { store, _ in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.createTable(
                try TableSchema("shadow", columns: [.init("id", "INTEGER"), .init("new")], primaryKey: ["id"]))
            try store.execute("INSERT INTO shadow VALUES (2, 'x')")
            try store.swapTable("jack", for: "shadow")
            try expect(store.rows("SELECT * FROM jack"), is: [[2, "x"]])
            try expect(store.tableNames(), is: ["jack"])
            try store.swapTable("moved", for: "jack")
            try expect(store.tableNames(), is: ["moved"])
            try expectError(.noSuchTable) { try store.swapTable("moved", for: "jack") }
            try expect(store.rows("SELECT * FROM moved"), is: [[2, "x"]])
        },
    ]
}
