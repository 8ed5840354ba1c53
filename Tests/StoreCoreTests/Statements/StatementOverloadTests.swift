import Foundation
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Calls as apps write them. That they compile proves that overload resolution is unambiguous.
@Suite(.needsSlot) struct StatementOverloadTests {
    private enum Color: String, StoreValueConvertible { case red }

    private func withStore(_ subject: StoreSubject, _ body: (any LocalStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        try store.execute("CREATE TABLE note (id, title TEXT, link TEXT)")
        try body(store)
        try store.close()
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `literals and values mix in an array by place`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let (id, title, link, none) = (UUID(), "plate", URL(string: "https://a.b"), URL?.none)
            let insert = "INSERT INTO note VALUES (?, ?, ?)"
            try store.execute(insert, [7, "plate", nil])
            try store.execute(insert, [.integer(8), .text("b"), .null])
            try store.execute(insert, [id, title, link])
            try store.execute(insert, [9, title, none])
            try store.execute(insert, [10, Color.red, nil])
            let values: [StoreValue] = [11, "c", nil]
            try store.execute(insert, values)
            let convertibles: [any StoreValueConvertible] = [12, title, true]
            try store.execute(insert, convertibles)
            let numbers = [13, 14, 15]
            try store.execute(insert, numbers)
            let expected: [[StoreValue]] = [
                [7, "plate", nil], [8, "b", nil], [.text(id.uuidString), "plate", "https://a.b"], [9, "plate", nil],
                [10, "red", nil], [11, "c", nil], [12, "plate", "1"], [13, "14", "15"],
            ]
            #expect(try store.rows("SELECT * FROM note") == expected)
            #expect(try store.execute("DELETE FROM note WHERE link IS ?", [nil]) == 5)
            #expect(try store.execute("DELETE FROM note", []) == 3)
            #expect(try store.execute("DELETE FROM note", [:]) == 0)
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `parameters by name accept any value`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let link = URL?.none
            try store.execute("INSERT INTO note VALUES (:id, @title, $link)", ["id": 7, "title": "a", "link": link])
            try store.execute("INSERT INTO note VALUES (:id, :title, :id)", ["id": 8, "title": nil])
            var seen: [StoreValue] = []
            try store.query("SELECT id FROM note WHERE id = :id", ["id": 7]) { row in
                seen.append(row.value(at: 0))
                return true
            }
            try store.query("SELECT id FROM note WHERE id = ?", [seen.count + 7]) { row in
                seen.append(row.value(at: 0))
                return true
            }
            try store.query("SELECT id FROM note WHERE id = ?", [7]) { row in
                seen.append(row.value(at: 0))
                return true
            }
            #expect(seen == [7, 8, 7])
            #expect(try store.rows("SELECT * FROM note ORDER BY id") == [[7, "a", nil], [8, nil, "8"]])
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `an interpolated literal is never text`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let attack = "x'; DROP TABLE note; --"
            try store.execute("INSERT INTO note VALUES (\(1), \(attack), \(URL?.none))")
            try store.execute("UPDATE note SET link = \(Color.red) WHERE title = \(attack)")
            #expect(try store.rows("SELECT * FROM note WHERE title = \(attack)") == [[1, .text(attack), "red"]])
            #expect(
                try store.queryJSON("SELECT link FROM note WHERE id IN \([1, 2])") == Data(#"[{"link":"red"}]"#.utf8))
            #expect(try store.rows("SELECT * FROM note WHERE id IN \([Int]())") == [])
            #expect(try store.rows("SELECT id FROM note WHERE id NOT IN \([Int]())") == [[1]])
            var count = 0
            try store.query("SELECT * FROM \("note" as SQLIdentifier) WHERE id = \(1) AND \(true)") { _ in
                count += 1
                return true
            }
            try store.read { reader throws in
                try reader.query("SELECT * FROM note WHERE title = \(attack)") { _ in
                    count += 1
                    return true
                }
                try reader.query("SELECT * FROM note WHERE title = ?", [attack]) { _ in
                    count += 1
                    return true
                }
                try reader.query("SELECT * FROM note WHERE title = :title", ["title": attack]) { _ in
                    count += 1
                    return true
                }
                count += try reader.rows("SELECT * FROM note WHERE title = \(attack)").count
                #expect(try reader.queryJSON("SELECT id FROM note WHERE id = \(1)") == Data(#"[{"id":1}]"#.utf8))
                try reader.prepare("SELECT * FROM note WHERE id = ?") { byKey in
                    for id in [UInt8(1), 2] {
                        try byKey.query([id]) { _ in
                            count += 1
                            return true
                        }
                    }
                }
                let error = #expect(throws: StoreError.self) {
                    try reader.prepare("SELECT * FROM note WHERE id = \(1)") { _ in }
                }
                #expect(error?.code == .invalidArgument)
            }
            #expect(count == 6)
        }
    }

    @Test func `text of another origin is passed verbatim`() throws {
        try withStore(.memory) { store throws in
            let text = "INSERT INTO note VALUES (:id, :id, NULL)"
            let insertion = try SQL(verbatim: text, named: ["id": 7])
            #expect(try store.execute(insertion) == 1)
            #expect(try store.execute(SQL(verbatim: "DELETE FROM note WHERE id = ?", [7])) == 1)
            #expect(try store.execute(SQL(verbatim: "DELETE FROM note WHERE id = ?", [.integer(7)])) == 0)
            #expect(try store.execute(SQL(verbatim: "DELETE FROM note WHERE id = ?", [UUID()])) == 0)
            #expect(try store.execute(SQL(verbatim: "DELETE FROM note")) == 0)
        }
    }
}
