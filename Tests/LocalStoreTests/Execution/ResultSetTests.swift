import Foundation
import StoreTestSupport
import Testing

@testable import LocalStore

/// Small result sets are copied, large ones share the table's memory; both behave the same.
@Suite struct ResultSetTests {
    private func store(_ rows: Int) throws -> MemoryStore {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, label TEXT, n, UNIQUE (label))")
        let values: [[StoreValue]] = (0..<rows).map { row in
            [.integer(Int64(row)), .text("row \(row)"), row % 3 == 0 ? .null : .real(Double(row) / 2)]
        }
        try store.upsert(try RowBatch(["id", "label", "n"], values), into: "t")
        return store
    }

    @Test(arguments: [1, 63, 64, 5000])
    func `result sets do not change with their table`(rows: Int) throws {
        let store = try store(rows)
        let before = try store.rows("SELECT n, id, label FROM t")
        var read: [[StoreValue]] = []
        try store.query("SELECT n, id, label FROM t") { row in
            if read.isEmpty {
                try store.execute("UPDATE t SET label = label || '!', n = 7")
                try store.execute("DELETE FROM t WHERE id >= \(rows / 2)", [])
                try store.execute("INSERT INTO t VALUES (-1, 'first', x'00')")
            }
            read.append(row.values)
            return true
        }
        #expect(read == before)
        let after = try store.rows("SELECT id, label, n FROM t")
        #expect(after.count == rows / 2 + 1)
        #expect(after.first == [-1, "first", .blob(Data([0]))])
        if rows > 1 { #expect(after.last == [.integer(Int64(rows / 2 - 1)), .text("row \(rows / 2 - 1)!"), 7]) }
    }

    @Test func `result sets outlive their table`() throws {
        let store = try store(1000)
        var count = 0
        try store.query("SELECT * FROM t") { row in
            if count == 0 { try store.execute("DROP TABLE t") }
            count += row.text(at: 1) == "row \(count)" ? 1 : 0
            return true
        }
        #expect(count == 1000)
    }

    @Test func `insert select from the same table reads a snapshot`() throws {
        let store = try store(200)
        try store.execute("INSERT INTO t (label, n) SELECT label || '+', n FROM t")
        try store.execute("CREATE TABLE u (id, label, n)")
        #expect(try store.execute("INSERT INTO u SELECT id, label, n FROM t") == 400)
        #expect(try store.rows("SELECT * FROM u") == store.rows("SELECT * FROM t"))
    }

    @Test(arguments: [
        ("id = ?", StoreValue.integer(70), 1), ("id = ?", .real(70), 1), ("id = ?", .text("70"), 1),
        ("id = ?", .text("x"), 0), ("id = ?", .null, 0), ("label = ?", .text("row 70"), 1),
        ("label = ?", .text("row 700"), 0), ("label = ?", .integer(70), 0), ("label = ?", .null, 0),
        ("label = ?", .blob(Data("row 70".utf8)), 0),
    ])
    func `key lookups accept every storage class`(condition: String, value: StoreValue, count: Int) throws {
        let store = try store(100)
        let rows = try store.rows("SELECT label, id, n FROM t WHERE \(condition)", [value])
        #expect(rows == (count == 1 ? [["row 70", 70, 35.0]] : []))
        try store.execute("DELETE FROM t WHERE id = 70")
        #expect(try store.rows("SELECT id FROM t WHERE \(condition)", [value]).isEmpty)
    }

    @Test(arguments: [
        StoreValue.integer(.max), .integer(.min), .integer(1 << 53), .integer((1 << 53) + 1), .integer(-1), .integer(0),
    ])
    func `key lookups compare numbers exactly`(value: StoreValue) throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a NUMERIC UNIQUE, b)")
        let numbers: [StoreValue] = [
            .integer(.max), .integer(.min), .integer((1 << 53) + 1), .integer(1 << 53), .real(0.5), .integer(0),
            .real(-1),
            .text("x"), .real(9.3e18),
        ]
        for number in numbers { try store.execute("INSERT INTO t VALUES (?, 1)", [number]) }
        #expect(try store.rows("SELECT a, b FROM t WHERE a = ?", [value]) == [[value, 1]])
    }
}
