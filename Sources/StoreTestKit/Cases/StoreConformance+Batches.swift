import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Inserting, updating and deleting batches of rows.
    static let batches: [StoreConformanceCase] = [
        StoreConformanceCase("rows are inserted or updated") { store, _ in
            var batch = try RowBatch(["label", "ID"], [["a", 1], ["b", 2]])
            try expect(store.upsert(batch, into: "JACK"), is: 2)
            try store.execute("UPDATE jack SET gain = 5 WHERE id = 2")
            batch.removeAll()
            try batch.append(["c", 2])
            try batch.append(["d", 3])
            try expect(store.upsert(batch, into: "jack"), is: 2)
            // Columns missing in the batch keep their values.
            let expected: [[StoreValue]] = [[1, "a", nil], [2, "c", 5.0], [3, "d", nil]]
            try expect(store.rows("SELECT id, label, gain FROM jack ORDER BY id"), is: expected)
        },
        StoreConformanceCase("upsert is idempotent") { store, _ in
            let batch = try RowBatch(["id", "label"], (0..<500).map { [.integer($0), .text("row \($0)")] })
            try store.upsert(batch, into: "jack")
            let once = try store.rows("SELECT * FROM jack ORDER BY id")
            try store.upsert(batch, into: "jack")
            try expect(store.rows("SELECT * FROM jack ORDER BY id"), is: once)
            try expect(once.count, is: 500)
        },
        StoreConformanceCase("the last row of equal keys wins") { store, _ in
            try store.upsert(try RowBatch(["id", "label"], [[1, "a"], [1, "b"], [1, "c"]]), into: "jack")
            try expect(store.rows("SELECT id, label FROM jack"), is: [[1, "c"]])
        },
        StoreConformanceCase("a key may have several columns") { store, _ in
            let schema = try TableSchema(
                "pair", columns: [.init("a", "TEXT"), .init("b", "TEXT"), .init("n", "INTEGER")],
                primaryKey: ["b", "a"])
            try store.createTable(schema)
            try store.upsert(
                try RowBatch(["a", "b", "n"], [["x", "y", 1], ["y", "x", 2], ["x", "y", 3]]), into: "pair")
            try expect(store.rows("SELECT a, b, n FROM pair ORDER BY n"), is: [["y", "x", 2], ["x", "y", 3]])
            try store.upsert(try RowBatch(["a", "b"], [["x", "y"], ["z", "z"]]), into: "pair")
            try expect(store.value("SELECT count(*) FROM pair"), is: 3)
            try expect(store.delete(try RowBatch(["a", "b"], [["x", "y"], ["x", "x"]]), from: "pair"), is: 1)
            try expect(store.delete(try RowBatch(["a"], [["y"], ["z"]]), from: "pair"), is: 2)
        },
        StoreConformanceCase("rows are deleted by their keys") { store, _ in
            try store.upsert(try RowBatch(["id", "label"], [[1, "a"], [2, nil], [3, "c"]]), into: "jack")
            try expect(store.delete(try RowBatch(["id"], [[1], [1], [9], [nil]]), from: "jack"), is: 1)
            try expect(store.delete(try RowBatch(["label"], [[nil]]), from: "jack"), is: 0)
            try expect(store.jackIDs(), is: [2, 3])
            try expect(store.delete(try RowBatch(["id"], [["2"]]), from: "jack"), is: 1)
        },
        StoreConformanceCase("invalid batches change nothing") { store, _ in
            try store.execute("CREATE TABLE keyless (a)")
            try store.execute("CREATE TABLE strict_one (id INTEGER PRIMARY KEY, n NOT NULL)")
            try expectError(.noSuchTable) { try store.upsert(RowBatch(["a"], [[1]]), into: "nowhere") }
            try expectError(.noSuchColumn) { try store.upsert(RowBatch(["id", "nothing"], [[1, 1]]), into: "jack") }
            try expectError(.invalidArgument) { try store.upsert(RowBatch(["label"], [["a"]]), into: "jack") }
            try expectError(.invalidArgument) { try store.upsert(RowBatch(["a"], [[1]]), into: "keyless") }
            try expectError(.constraint) { try store.upsert(RowBatch(["id"], [[1], [nil], [2]]), into: "jack") }
            try expectError(.constraint) { try store.upsert(RowBatch(["id"], [[1], ["no number"]]), into: "jack") }
            try expectError(.constraint) {
                try store.upsert(RowBatch(["id", "n"], [[1, 1], [2, nil]]), into: "strict_one")
            }
            try expect(store.jackIDs(), is: [])
            try expect(store.value("SELECT count(*) FROM strict_one"), is: 0)
            try expectError(.noSuchTable) { try store.delete(try RowBatch(["a"], [[1]]), from: "nowhere") }
            try expectError(.noSuchColumn) { try store.delete(try RowBatch(["nothing"], [[1]]), from: "jack") }
        },
        StoreConformanceCase("upsert requires not null columns") { store, _ in
            try store.execute("CREATE TABLE filled (id INTEGER PRIMARY KEY, n NOT NULL, m)")
            try store.execute("INSERT INTO filled VALUES (1, 2, 3)")
            try expectError(.constraint) {
                try store.upsert(try RowBatch(["id", "m"], [[1, 4]]), into: "filled")
            }
            try expect(store.upsert(try RowBatch(["id", "n"], [[1, 5]]), into: "filled"), is: 1)
            try expect(store.rows("SELECT * FROM filled"), is: [[1, 5, 3]])
        },
        StoreConformanceCase("empty batches change nothing") { store, _ in
            try expect(store.upsert(try RowBatch(["id"], []), into: "jack"), is: 0)
            try expect(store.delete(try RowBatch(["id"], []), from: "jack"), is: 0)
        },
    ]
}
