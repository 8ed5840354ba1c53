import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Queries, rows and JSON.
    static let queries: [StoreConformanceCase] = [
        StoreConformanceCase("rows are read by column index") { store, _ in
            try store.execute(
                "INSERT INTO jack VALUES (?, ?, ?, ?, ?)", [7, "plate", 0.5, .blob(Data([1, 2])), nil])
            var count = 0
            try store.query("SELECT id, label, gain, raw, \"any\" FROM jack") { row in
                count += 1
                try expect(row.columnNames, is: ["id", "label", "gain", "raw", "any"])
                try expect(row.columnCount, is: 5)
                try expect((0..<5).map { row.kind(at: $0) }, is: [.integer, .text, .real, .blob, .null])
                try expect((0..<5).map { row.int64(at: $0) }, is: [7, nil, nil, nil, nil])
                try expect((0..<5).map { row.double(at: $0) }, is: [7, nil, 0.5, nil, nil])
                try expect((0..<5).map { row.text(at: $0) }, is: [nil, "plate", nil, nil, nil])
                try expect((0..<5).map { row.blob(at: $0) }, is: [nil, nil, nil, Data([1, 2]), nil])
                try expect((0..<5).map { row.isNull(at: $0) }, is: [false, false, false, false, true])
                try expect(row.withBytes(at: 1) { Array($0) }, is: Array("plate".utf8))
                try expect(row.withBytes(at: 3) { Array($0) }, is: [1, 2])
                try expect(row.withBytes(at: 0) { Array($0) }, is: nil)
                return true
            }
            try expect(count, is: 1)
        },
        StoreConformanceCase("columns out of range are null") { store, _ in
            try store.query("SELECT 1") { row in
                for index in [-1, 1, .max, .min] { try expect(row.value(at: index), is: .null) }
                return true
            }
        },
        StoreConformanceCase("returning false ends the query") { store, _ in
            try store.execute("INSERT INTO jack (id) VALUES (1), (2), (3)")
            var seen: [Int64?] = []
            try store.query("SELECT id FROM jack ORDER BY id") { row in
                seen.append(row.int64(at: 0))
                return seen.count < 2
            }
            try expect(seen, is: [1, 2])
            try expect(store.execute("DELETE FROM jack"), is: 3)
        },
        StoreConformanceCase("errors of callbacks are rethrown") { store, _ in
            try expectInterruption { try store.query("SELECT 1") { _ in throw Interruption() } }
            try expect(store.rows("SELECT 1"), is: [[1]])
        },
        StoreConformanceCase("queries can write") { store, _ in
            try expect(store.rows("INSERT INTO jack (id) VALUES (1)"), is: [])
            try expect(store.json("INSERT INTO jack (id) VALUES (2)"), is: "[]")
            try expect(store.jackIDs(), is: [1, 2])
        },
        StoreConformanceCase("calls from callbacks never deadlock") { store, _ in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            let attempts: [() throws -> Void] = [
                { _ = try store.rows("SELECT 2") }, { _ = try store.execute("UPDATE jack SET label = 'x'") },
                { _ = try store.queryJSON("SELECT 2") }, { _ = try store.tableNames() },
                { _ = try store.transaction { try store.execute("UPDATE jack SET label = 'x'") } },
            ]
            for attempt in attempts {
                try store.query("SELECT id FROM jack") { _ in
                    do { try attempt() } catch let error as StoreError { try expect(error.code, is: .misuse) }
                    return true
                }
                try expect(store.value("SELECT count(*) FROM jack"), is: 1)
            }
        },
        StoreConformanceCase("JSON follows the documentation") { store, _ in
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
            try expect(
                text,
                is: #"""
                    [{"id":1,"label":"a\"b\\c/\b\f\n\r\t\u0001\u001f\#u{7F}\u0000é𝄞 long enough for words",\#
                    "gain":0.5,"raw":"aGk=","any":null},{"id":0,"label":"12345678\"","gain":0.0,"raw":null,"any":null},\#
                    {"id":-9223372036854775808,"label":"","gain":1e+300,"raw":"","any":9223372036854775807}]
                    """#)
            // Foundation can parse it.
            try expect(JSONSerialization.jsonObject(with: Data(text.utf8)) is [[String: Any]])
        },
        StoreConformanceCase("last of duplicate JSON members wins") { store, _ in
            try expect(store.json(#"SELECT 1 AS a, 2 AS "x""y", 3 AS a"#), is: #"[{"x\"y":2,"a":3}]"#)
            try expect(store.json("SELECT id FROM jack"), is: "[]")
            // Equal as Swift strings, but two names in SQL: é precomposed and decomposed.
            let text = try store.json("SELECT 1 AS \"\u{E9}\", 2 AS \"e\u{301}\"")
            try expect(text.utf8.elementsEqual("[{\"\u{E9}\":1,\"e\u{301}\":2}]".utf8))
        },
    ]
}
