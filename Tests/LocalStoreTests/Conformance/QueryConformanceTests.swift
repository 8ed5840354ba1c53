import Foundation
import LocalStore
import StoreTestSupport
import Testing

@Suite struct QueryConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func rowsAreReadByColumnIndex(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute(
                "INSERT INTO jack VALUES (?, ?, ?, ?, ?)", [7, "plate", 0.5, .blob(Data([1, 2])), nil])
            var count = 0
            try store.query("SELECT id, label, gain, raw, \"any\" FROM jack") { row in
                count += 1
                #expect(row.columnNames == ["id", "label", "gain", "raw", "any"])
                #expect(row.columnCount == 5)
                #expect((0..<5).map { row.kind(at: $0) } == [.integer, .text, .real, .blob, .null])
                #expect((0..<5).map { row.int64(at: $0) } == [7, nil, nil, nil, nil])
                #expect((0..<5).map { row.double(at: $0) } == [7, nil, 0.5, nil, nil])
                #expect((0..<5).map { row.text(at: $0) } == [nil, "plate", nil, nil, nil])
                #expect((0..<5).map { row.blob(at: $0) } == [nil, nil, nil, Data([1, 2]), nil])
                #expect((0..<5).map { row.isNull(at: $0) } == [false, false, false, false, true])
                #expect(row.withBytes(at: 1) { Array($0) } == Array("plate".utf8))
                #expect(row.withBytes(at: 3) { Array($0) } == [1, 2])
                #expect(row.withBytes(at: 0) { Array($0) } == nil)
                return true
            }
            #expect(count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func columnsOutOfRangeAreNull(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.query("SELECT 1") { row in
                for index in [-1, 1, .max, .min] { #expect(row.value(at: index) == .null) }
                return true
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func returningFalseEndsTheQuery(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id) VALUES (1), (2), (3)")
            var seen: [Int64?] = []
            try store.query("SELECT id FROM jack ORDER BY id") { row in
                seen.append(row.int64(at: 0))
                return seen.count < 2
            }
            #expect(seen == [1, 2])
            #expect(try store.execute("DELETE FROM jack") == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func errorsOfCallbacksAreRethrown(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(throws: Interruption()) { try store.query("SELECT 1") { _ in throw Interruption() } }
            #expect(try store.rows("SELECT 1") == [[1]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func queriesCanWrite(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.rows("INSERT INTO jack (id) VALUES (1)") == [])
            #expect(try store.json("INSERT INTO jack (id) VALUES (2)") == "[]")
            #expect(try store.jackIDs() == [1, 2])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func callsFromCallbacksNeverDeadlock(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            let attempts: [() throws -> Void] = [
                { _ = try store.rows("SELECT 2") }, { _ = try store.execute("UPDATE jack SET label = 'x'") },
                { _ = try store.queryJSON("SELECT 2") }, { _ = try store.tableNames() },
                { _ = try store.transaction { try store.execute("UPDATE jack SET label = 'x'") } },
            ]
            for attempt in attempts {
                try store.query("SELECT id FROM jack") { _ in
                    do { try attempt() } catch let error as StoreError { #expect(error.code == .misuse) }
                    return true
                }
                #expect(try store.value("SELECT count(*) FROM jack") == 1)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func jsonFollowsTheDocumentation(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let rows: [[StoreValue]] = [
                [
                    1, "a\"b\\c/\u{8}\u{c}\n\r\t\u{1}\u{1F}\u{7F}\0é𝄞 long enough for words", 0.5,
                    .blob(Data("hi".utf8)), nil,
                ],
                [.integer(.min), "", 1e300, .blob(Data()), .integer(.max)],
                [0, "12345678\"", -0.0, nil, .real(.infinity)],
            ]
            try store.upsert(try RowBatch(["id", "label", "gain", "raw", "any"], rows), into: "jack")
            let text = try store.json("SELECT id, label, gain, raw, \"any\" FROM jack ORDER BY id DESC")
            #expect(
                text == #"""
                    [{"id":1,"label":"a\"b\\c/\b\f\n\r\t\u0001\u001f\#u{7F}\u0000é𝄞 long enough for words",\#
                    "gain":0.5,"raw":"aGk=","any":null},{"id":0,"label":"12345678\"","gain":0.0,"raw":null,"any":null},\#
                    {"id":-9223372036854775808,"label":"","gain":1e+300,"raw":"","any":9223372036854775807}]
                    """#)
            // Foundation can parse it.
            #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [[String: Any]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func lastOfDuplicateJSONMembersWins(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.json(#"SELECT 1 AS a, 2 AS "x""y", 3 AS a"#) == #"[{"x\"y":2,"a":3}]"#)
            #expect(try store.json("SELECT id FROM jack") == "[]")
            // Equal as Swift strings, but two names in SQL: é precomposed and decomposed.
            let text = try store.json("SELECT 1 AS \"\u{E9}\", 2 AS \"e\u{301}\"")
            #expect(text.utf8.elementsEqual("[{\"\u{E9}\":1,\"e\u{301}\":2}]".utf8))
        }
    }
}
