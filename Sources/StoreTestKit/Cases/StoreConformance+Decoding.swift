import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    private struct Jack: Decodable, Equatable {
        var id: Int
        var label: String?
        var gain: Double?
    }

    /// Reading rows as values.
    static let decoding: [StoreConformanceCase] = [
        StoreConformanceCase("records round trip") { store, _ in
            try createNotes(in: store)
            var notes = [Note("first", number: 1), Note("second", number: 2)]
            (notes[1].link, notes[1].size, notes[1].weight) = (URL(string: "https://example.com/"), -5, 0.5)
            (notes[1].image, notes[1].isPinned, notes[1].tags) = (Data([1, 0, 255]), false, [])
            try store.insert(notes, into: "note")
            try expect(store.rows(as: Note.self, "SELECT * FROM note ORDER BY title"), is: notes)
            try expect(store.first(as: Note.self, "SELECT * FROM note WHERE id = \(notes[1].id)"), is: notes[1])
            for coding in [
                StoreCoding(dates: .unixSeconds, uuids: .blob, keys: .snakeCase), StoreCoding(dates: .unixMilliseconds),
                StoreCoding(dates: .referenceSeconds),
            ] {
                try store.execute("DROP TABLE note")
                try store.execute(
                    """
                    CREATE TABLE note (id, title, created, is_pinned, isPinned, color, tags, link, size, weight, image)
                    """)
                try store.insert(notes, into: "note", coding: coding)
                try expect(store.rows(as: Note.self, "SELECT * FROM note ORDER BY title", coding: coding), is: notes)
            }
        },
        StoreConformanceCase("rows are decoded by column name") { store, _ in
            try store.execute("INSERT INTO jack (id, label, gain) VALUES (1, 'a', 2), (2, NULL, NULL)")
            let jacks = [Jack(id: 1, label: "a", gain: 2), Jack(id: 2)]
            try expect(store.rows(as: Jack.self, "SELECT * FROM jack ORDER BY id"), is: jacks)
            // In another order, in other case, with further columns, and without those of optional properties.
            try expect(
                store.rows(as: Jack.self, "SELECT gain, 1 AS x, label, id AS ID FROM jack ORDER BY id"), is: jacks)
            try expect(store.rows(as: Jack.self, "SELECT id FROM jack ORDER BY id"), is: [Jack(id: 1), Jack(id: 2)])
            try expect(store.rows(as: Jack.self, "SELECT * FROM jack WHERE id > \(5)"), is: [])
            try expect(store.first(as: Jack.self, "SELECT * FROM jack ORDER BY id DESC"), is: jacks[1])
            try expect(store.first(as: Jack.self, "SELECT * FROM jack WHERE id > 5"), is: nil)
        },
        StoreConformanceCase("single values are decoded") { store, _ in
            try store.execute("INSERT INTO jack (id, label, gain) VALUES (1, 'a', 0.5), (2, 'b', NULL)")
            try expect(store.value(of: Int.self, "SELECT count(*) FROM jack"), is: 2)
            try expect(store.value(of: Int.self, "SELECT id FROM jack WHERE id > 5"), is: nil)
            try expect(store.value(of: Double.self, "SELECT gain FROM jack WHERE id = \(2)"), is: nil)
            try expect(store.values(of: String.self, "SELECT label FROM jack ORDER BY id"), is: ["a", "b"])
            try expect(store.values(of: Double?.self, "SELECT gain FROM jack ORDER BY id"), is: [0.5, nil])
            try expect(store.values(of: Bool.self, "SELECT id = 1 FROM jack ORDER BY id"), is: [true, false])
            try expect(store.value(of: Note.Color.self, "SELECT 'red'"), is: .red)
            try expect(store.value(of: Data.self, "SELECT x'0102'"), is: Data([1, 2]))
        },
        StoreConformanceCase("readers decode too") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a'), (2, 'b')")
            try store.read { reader throws in
                try expect(reader.rows(as: Jack.self, "SELECT * FROM jack ORDER BY id").map(\.label), is: ["a", "b"])
                try expect(reader.first(as: Jack.self, "SELECT * FROM jack WHERE id = \(2)")?.label, is: "b")
                try expect(reader.value(of: Int.self, "SELECT max(id) FROM jack"), is: 2)
                try expect(reader.values(of: Int.self, "SELECT id FROM jack ORDER BY id"), is: [1, 2])
            }
        },
        StoreConformanceCase("dates are read in each of SQLite's forms") { store, _ in
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            let forms: [StoreValue] = [
                "2023-11-14 22:13:20", "2023-11-14T22:13:20", "2023-11-14 22:13:20.000", "2023-11-14 22:13:20Z",
                "2023-11-14T23:13:20+01:00", "2023-11-14 22:13:20 ", "2023-11-14\t22:13:20\n", 1_700_000_000,
                1_700_000_000.0,
            ]
            for form in forms {
                try expect(store.value(of: Date.self, SQL(verbatim: "SELECT ?", [form])), is: date, "\(form)")
            }
            try expect(
                store.value(
                    of: Date.self, "SELECT \(1_700_000_000_000)", coding: StoreCoding(dates: .unixMilliseconds)),
                is: date)
            try expect(
                store.values(of: Date.self, "SELECT DISTINCT '2023-11-14 '"),
                is: [Date(timeIntervalSince1970: 1_699_920_000)])
        },
        StoreConformanceCase("cells of another type are errors") { store, _ in
            struct Sized: Decodable { var id: Int8 }
            struct Missing: Decodable { var id: Int, nothing: Int }
            try store.execute("INSERT INTO jack (id, label, gain) VALUES (1, 'hunter2', 0.5), (300, 'x', 1.5)")
            let calls: [(column: String, call: () throws -> Any?)] = [
                ("label", { try store.value(of: Int.self, "SELECT label FROM jack") }),
                ("gain", { try store.value(of: Int.self, "SELECT gain FROM jack") }),
                ("id", { try store.values(of: Bool.self, "SELECT id FROM jack") }),
                ("label", { try store.value(of: Date.self, "SELECT label FROM jack") }),
                ("label", { try store.value(of: UUID.self, "SELECT label FROM jack") }),
                ("label", { try store.value(of: Note.Color.self, "SELECT label FROM jack") }),
                ("id", { try store.rows(as: Sized.self, "SELECT id FROM jack ORDER BY id") }),
                ("nothing", { try store.rows(as: Missing.self, "SELECT id FROM jack") }),
                ("label", { try store.rows(as: Jack.self, "SELECT id, x'00' AS label FROM jack") }),
                ("id", { try store.rows(as: Jack.self, "SELECT NULL AS id") }),
            ]
            for (number, (column, call)) in calls.enumerated() {
                let error = try expectError(.undecodable, "call \(number)", of: call)
                try expect(error.message.contains(column), "call \(number) does not name the column: \(error.message)")
                try expect(!error.message.contains("hunter2") && !error.message.contains("300"), error.message)
            }
        },
        StoreConformanceCase("cells are read by column name") { store, _ in
            try store.execute("INSERT INTO jack (id, label, gain) VALUES (7, 'a', 0.5)")
            var seen: [StoreValue] = []
            try store.query("SELECT id, label, gain, label AS label FROM jack") { row in
                seen = [row["LABEL"], row["gain"], row["absent"], .integer(try row.value(of: Int64.self, at: "id"))]
                try expect(row.index(of: "label"), is: 1)
                try expect(row.decode(Jack.self), is: Jack(id: 7, label: "a", gain: 0.5))
                return true
            }
            try expect(seen, is: ["a", 0.5, nil, 7])
        },
    ]
}
