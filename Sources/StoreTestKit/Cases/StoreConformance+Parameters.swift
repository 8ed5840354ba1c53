import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Parameters: interpolated, by place and by name; and scripts.
    static let parameters: [StoreConformanceCase] = [
        StoreConformanceCase("interpolated values are parameters") { store, _ in
            let quoted = "it's \"quoted\"; DROP TABLE jack --"
            try expect(store.execute("INSERT INTO jack (id, label, gain) VALUES (\(1), \(quoted), \(2.5))"), is: 1)
            let none: String? = nil
            try expect(store.execute("INSERT INTO jack (id, label) VALUES (\(2), \(none))"), is: 1)
            try expect(store.rows("SELECT label, gain FROM jack WHERE id = \(1)"), is: [[.text(quoted), 2.5]])
            try expect(store.queryJSON("SELECT id FROM jack WHERE label IS \(none)"), is: Data(#"[{"id":2}]"#.utf8))
            var seen: [StoreValue] = []
            try store.query("SELECT label FROM jack WHERE label = \(quoted)") { row in
                seen.append(row.value(at: 0))
                return true
            }
            try expect(seen, is: [.text(quoted)])
            try store.read { reader throws in
                try expect(reader.rows("SELECT id FROM jack WHERE label = \(quoted)"), is: [[1]])
            }
        },
        StoreConformanceCase("names and lists are interpolated") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            let (table, column): (SQLIdentifier, SQLIdentifier) = ("jack", "label")
            let condition: SQL = "id IN \([1, 3, 9]) AND \(column) <> \("c")"
            try expect(store.rows("SELECT id FROM \(table) WHERE \(condition)"), is: [[1]])
            try expect(store.rows("SELECT id FROM jack WHERE id IN \([] as [Int])"), is: [])
            let keyword: SQLIdentifier = "select \"from\""
            try store.execute("CREATE TABLE \(keyword) (a)")
            try expect(store.tableNames(), is: ["jack", keyword.text])
        },
        StoreConformanceCase("parameters are passed by place") { store, _ in
            let parameters: [(any StoreValueConvertible)?] = [1, "a", 0.5, Data([1, 2]), nil]
            try store.execute("INSERT INTO jack (id, label, gain, raw, \"any\") VALUES (?, ?, ?, ?, ?)", parameters)
            try expect(store.rows("SELECT * FROM jack"), is: [[1, "a", 0.5, .blob(Data([1, 2])), nil]])
            try expectError(.invalidArgument) { try store.execute("DELETE FROM jack WHERE id = ?", [1, "x"]) }
            try expectError(.invalidArgument) { try store.execute("DELETE FROM jack WHERE id = ?", []) }
            try expect(store.jackIDs(), is: [1])
        },
        StoreConformanceCase("parameters are passed by name") { store, _ in
            let insertion = "INSERT INTO jack (id, label, gain) VALUES (:id, @label, $gain)"
            try store.execute(insertion, ["id": 1, "label": "a", "gain": 0.5])
            try store.execute(insertion, ["id": 2, "label": nil as String?, "gain": 1.5])
            // A name may be used several times, and text and comments contain none.
            let sql = "SELECT id FROM jack WHERE (id = :id OR id = :id + 1) AND label IS NOT ':x' /* :y */ ORDER BY id"
            var seen: [StoreValue] = []
            try store.query(sql, ["id": 1]) { row in
                seen.append(row.value(at: 0))
                return true
            }
            try expect(seen, is: [1, 2])
            try expect(store.execute("DELETE FROM jack WHERE id = :id", ["id": 1]), is: 1)
        },
        StoreConformanceCase("missing and unknown names are errors") { store, _ in
            let sql = "DELETE FROM jack WHERE id = :id OR label = :label"
            for (names, named) in [(["id"], "label"), (["id", "label", "size"], "size")] {
                let values = Dictionary(uniqueKeysWithValues: names.map { ($0, 1 as (any StoreValueConvertible)?) })
                let error = try expectError(.invalidArgument) { try store.execute(sql, values) }
                try expect(error.message.contains(named), "the error does not name \(named): \(error.message)")
            }
            try expectError(.invalidArgument) { try store.execute("DELETE FROM jack WHERE id = ?", ["id": 1]) }
        },
        StoreConformanceCase("values are stored as documented") { store, _ in
            let id = try required(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
            let link = try required(URL(string: "https://example.com/a?b=c"))
            let date = Date(timeIntervalSince1970: 1_700_000_000.1239)
            let values: [(any StoreValueConvertible, StoreValue)] = [
                (true, 1), (false, 0), (Int8.min, -128), (UInt32.max, 4_294_967_295), (Int64.max, .integer(.max)),
                (Float(0.5), 0.5), (Double.nan, nil), ("ab".dropFirst(), "b"), (Data(), .blob(Data())),
                (id, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), (link, "https://example.com/a?b=c"),
                (date, "2023-11-14 22:13:20.124"), (nil as Date?, nil),
            ]
            try store.execute("CREATE TABLE plain (a)")
            for (value, stored) in values {
                try store.execute("INSERT INTO plain VALUES (?)", [value])
                try expect(store.value("SELECT a FROM plain"), is: stored, "the stored \(type(of: value))")
                try store.execute("DELETE FROM plain")
            }
        },
        StoreConformanceCase("a script runs all statements or none") { store, _ in
            try store.executeScript(
                """
                -- Two statements; and a comment.
                CREATE TABLE other (a, b);
                INSERT INTO other VALUES ('a;b', \(1)), ('x', 2);;

                INSERT INTO jack (id) VALUES (\(2)) /* ; */
                """)
            try expect(store.rows("SELECT a, b FROM other ORDER BY b"), is: [["a;b", 1], ["x", 2]])
            try expect(store.jackIDs(), is: [2])
            let text = "INSERT INTO jack (id) VALUES (3); INSERT INTO nowhere VALUES (1); DELETE FROM jack"
            let error = try expectError(.noSuchTable) { try store.executeScript(SQL(verbatim: text)) }
            try expect((error.offset ?? 0) >= 34, "the offset is \(error.offset ?? -1)")
            try expect(store.jackIDs(), is: [2])
            try expectError(.invalidArgument) {
                try store.executeScript(SQL(verbatim: "DELETE FROM jack WHERE id = ?; DELETE FROM other", []))
            }
            try expectError { try store.executeScript("DELETE FROM jack; COMMIT; DELETE FROM other") }
            try expect(store.jackIDs(), is: [2])
            try store.executeScript("")
        },
        StoreConformanceCase("a script is one commit") { store, _ in
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try store.executeScript(
                "CREATE TABLE other (a); INSERT INTO other VALUES (1); INSERT INTO jack (id) VALUES (1)")
            try expect(log.take(), is: [["jack", "other"]])
            try? store.transaction {
                try store.executeScript("INSERT INTO jack (id) VALUES (2); INSERT INTO jack (id) VALUES (3)")
                throw Interruption()
            }
            try expect(log.take(), is: [])
            try expect(store.jackIDs(), is: [1])
            subscription.cancel()
        },
    ]

    /// Unwraps a value of a case.
    static func required<Value>(_ value: Value?) throws(ConformanceFailure) -> Value {
        guard let value else { throw ConformanceFailure("a value of the case is nil") }
        return value
    }
}
