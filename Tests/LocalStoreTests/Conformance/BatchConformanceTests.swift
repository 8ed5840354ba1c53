import LocalStore
import StoreTestSupport
import Testing

@Suite struct BatchConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func rowsAreInsertedOrUpdated(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            var batch = try RowBatch(["label", "ID"], [["a", 1], ["b", 2]])
            #expect(try store.upsert(batch, into: "JACK") == 2)
            try store.execute("UPDATE jack SET gain = 5 WHERE id = 2")
            batch.removeAll()
            try batch.append(["c", 2])
            try batch.append(["d", 3])
            #expect(try store.upsert(batch, into: "jack") == 2)
            // Columns missing in the batch keep their values.
            let expected: [[StoreValue]] = [[1, "a", nil], [2, "c", 5.0], [3, "d", nil]]
            #expect(try store.rows("SELECT id, label, gain FROM jack ORDER BY id") == expected)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func upsertIsIdempotent(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let batch = try RowBatch(["id", "label"], (0..<500).map { [.integer($0), .text("row \($0)")] })
            try store.upsert(batch, into: "jack")
            let once = try store.rows("SELECT * FROM jack ORDER BY id")
            try store.upsert(batch, into: "jack")
            #expect(try store.rows("SELECT * FROM jack ORDER BY id") == once)
            #expect(once.count == 500)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func ofEqualKeysTheLastRowStays(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.upsert(try RowBatch(["id", "label"], [[1, "a"], [1, "b"], [1, "c"]]), into: "jack")
            #expect(try store.rows("SELECT id, label FROM jack") == [[1, "c"]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func aKeyMayHaveSeveralColumns(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let schema = try TableSchema(
                "pair", columns: [.init("a", "TEXT"), .init("b", "TEXT"), .init("n", "INTEGER")],
                primaryKey: ["b", "a"])
            try store.createTable(schema)
            try store.upsert(
                try RowBatch(["a", "b", "n"], [["x", "y", 1], ["y", "x", 2], ["x", "y", 3]]), into: "pair")
            #expect(try store.rows("SELECT a, b, n FROM pair ORDER BY n") == [["y", "x", 2], ["x", "y", 3]])
            try store.upsert(try RowBatch(["a", "b"], [["x", "y"], ["z", "z"]]), into: "pair")
            #expect(try store.value("SELECT count(*) FROM pair") == 3)
            #expect(try store.delete(try RowBatch(["a", "b"], [["x", "y"], ["x", "x"]]), from: "pair") == 1)
            #expect(try store.delete(try RowBatch(["a"], [["y"], ["z"]]), from: "pair") == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func rowsAreDeletedByTheirKeys(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.upsert(try RowBatch(["id", "label"], [[1, "a"], [2, nil], [3, "c"]]), into: "jack")
            #expect(try store.delete(try RowBatch(["id"], [[1], [1], [9], [nil]]), from: "jack") == 1)
            #expect(try store.delete(try RowBatch(["label"], [[nil]]), from: "jack") == 0)
            #expect(try store.jackIDs() == [2, 3])
            #expect(try store.delete(try RowBatch(["id"], [["2"]]), from: "jack") == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func invalidBatchesChangeNothing(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE keyless (a)")
            try store.execute("CREATE TABLE strict_one (id INTEGER PRIMARY KEY, n NOT NULL)")
            func refusal(_ table: SQLIdentifier, _ columns: [SQLIdentifier], _ rows: [[StoreValue]]) -> StoreError.Code?
            {
                #expect(throws: StoreError.self) { try store.upsert(try RowBatch(columns, rows), into: table) }?.code
            }
            #expect(refusal("nowhere", ["a"], [[1]]) == .noSuchTable)
            #expect(refusal("jack", ["id", "nothing"], [[1, 1]]) == .noSuchColumn)
            #expect(refusal("jack", ["label"], [["a"]]) == .invalidArgument)
            #expect(refusal("keyless", ["a"], [[1]]) == .invalidArgument)
            #expect(refusal("jack", ["id"], [[1], [nil], [2]]) == .constraint)
            #expect(refusal("jack", ["id"], [[1], ["no number"]]) == .constraint)
            #expect(refusal("strict_one", ["id", "n"], [[1, 1], [2, nil]]) == .constraint)
            #expect(try store.jackIDs() == [])
            #expect(try store.value("SELECT count(*) FROM strict_one") == 0)
            let deleting = { (table: SQLIdentifier, column: SQLIdentifier) in
                #expect(throws: StoreError.self) {
                    try store.delete(try RowBatch([column], [[1]]), from: table)
                }?.code
            }
            #expect(deleting("nowhere", "a") == .noSuchTable)
            #expect(deleting("jack", "nothing") == .noSuchColumn)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func upsertRequiresNotNullColumns(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE filled (id INTEGER PRIMARY KEY, n NOT NULL, m)")
            try store.execute("INSERT INTO filled VALUES (1, 2, 3)")
            let error = #expect(throws: StoreError.self) {
                try store.upsert(try RowBatch(["id", "m"], [[1, 4]]), into: "filled")
            }
            #expect(error?.code == .constraint)
            #expect(try store.upsert(try RowBatch(["id", "n"], [[1, 5]]), into: "filled") == 1)
            #expect(try store.rows("SELECT * FROM filled") == [[1, 5, 3]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func emptyBatchesChangeNothing(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.upsert(try RowBatch(["id"], []), into: "jack") == 0)
            #expect(try store.delete(try RowBatch(["id"], []), from: "jack") == 0)
        }
    }
}
