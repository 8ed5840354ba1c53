import Dispatch
import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite struct MemoryStoreTests {
    @Test func `rows are returned in rowid order`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n)")
        let ids: [Int64] = [5, 1, 9, -2, 7, 3]
        try store.upsert(try RowBatch(["id"], ids.map { [.integer($0)] }), into: "t")
        let expected = ids.sorted().map { [StoreValue.integer($0)] }
        #expect(try store.rows("SELECT id FROM t") == expected)
        try store.transaction {
            try store.execute("DELETE FROM t WHERE id = 3")
            try store.execute("INSERT INTO t (id) VALUES (2), (4), (0)")
            #expect(try store.rows("SELECT id FROM t LIMIT 4") == [[-2], [0], [1], [2]])
        }
        #expect(try store.rows("SELECT id FROM t WHERE id > 1") == [[2], [4], [5], [7], [9]])
    }

    /// A model-based test: random changes and rollbacks, compared with a dictionary.
    @Test(arguments: 1...6)
    func `a table matches a dictionary`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, label TEXT, n)")
        var model: [Int64: [StoreValue]] = [:]
        func randomRow() -> [StoreValue] {
            let id = Int64.random(in: 0..<400, using: &random)
            let label = String(repeating: "é", count: Int.random(in: 0..<9, using: &random))
            return [.integer(id), .text(label), .integer(Int64.random(in: 0..<9, using: &random))]
        }
        for step in 0..<60 {
            let before = model
            do {
                try store.transaction {
                    for _ in 0..<Int.random(in: 1..<6, using: &random) {
                        let rows = (0..<Int.random(in: 0..<90, using: &random)).map { _ in randomRow() }
                        if Bool.random(using: &random) {
                            try store.upsert(try RowBatch(["id", "label", "n"], rows), into: "t")
                            for row in rows { if case .integer(let id) = row[0] { model[id] = row } }
                        } else if Bool.random(using: &random) {
                            try store.delete(try RowBatch(["id"], rows.map { [$0[0]] }), from: "t")
                            for row in rows { if case .integer(let id) = row[0] { model[id] = nil } }
                        } else {
                            let limit = Int64.random(in: 0..<400, using: &random)
                            try store.execute("DELETE FROM t WHERE id > ? AND n = 3", [.integer(limit)])
                            model = model.filter { !($0.key > limit && $0.value[2] == 3) }
                        }
                    }
                    if step % 3 == 0 { throw Interruption() }
                }
            } catch is Interruption { model = before }
            let expected = model.sorted { $0.key < $1.key }.map(\.value)
            #expect(try store.rows("SELECT * FROM t") == expected)
            let wanted = Int64.random(in: 0..<400, using: &random)
            #expect(
                try store.rows("SELECT * FROM t WHERE id = ?", [.integer(wanted)]) == (model[wanted].map { [$0] } ?? [])
            )
        }
    }

    @Test func `changes in a callback do not affect its result set`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a)")
        try store.execute("INSERT INTO t VALUES ('x'), ('y')")
        var seen: [StoreValue] = []
        try store.query("SELECT a FROM t") { row in
            seen.append(row.value(at: 0))
            try store.execute("DELETE FROM t")
            return true
        }
        #expect(seen == ["x", "y"])
        #expect(try store.value("SELECT count(*) FROM t") == 0)
    }

    @Test func `names accept every quote style`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE `odd name` ([a b] TEXT, \"c\"\"d\" INT, 'e' INT)")
        try store.execute("INSERT INTO \"odd name\" (`a b`, [c\"d], e) VALUES ('x', 1, 2)")
        #expect(try store.rows("SELECT \"a b\", [C\"D], `e` FROM [odd name]") == [["x", 1, 2]])
        for quoted in ["`nothing`", "[nothing]", "\"nothing\""] {
            let error = #expect(throws: StoreError.self) { try store.rows("SELECT \(quoted) FROM [odd name]", []) }
            #expect(error?.code == .noSuchColumn)
            // In double quotes it may be a value.
            let shown = quoted.hasPrefix("\"") ? "…; if it is text, write it in single quotes" : "nothing"
            #expect(error?.message == "no such column: odd name.\(shown)")
        }
        let error = #expect(throws: StoreError.self) { _ = try store.rows("SELECT * FROM \"no table\"", []) }
        #expect(error?.message == "no such table: no table")
    }

    @Test func `text may be in double quotes if the store allows it`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let journal = MemoryJournalConfiguration(path: folder.path("store.journal"))
        let old = try MemoryStore(journal: journal, allowsDoubleQuotedText: true)
        for store in [MemoryStore(allowsDoubleQuotedText: true), old] {
            try store.execute("CREATE TABLE t (a TEXT DEFAULT \"old text\", b)")
            try store.execute("INSERT INTO t (b) VALUES (\"word\")")
            #expect(
                try store.rows("SELECT \"b\", a, \"nothing\" FROM t WHERE b = \"word\"") == [
                    ["word", "old text", "nothing"]
                ])
            #expect(throws: StoreError.self) { try store.rows("SELECT `nothing` FROM t") }
            #expect(try store.read { try $0.rows("SELECT \"nothing\"") } == [["nothing"]])
        }
        try old.close()
        // A definition in a journal is valid in any store.
        let store = try MemoryStore(journal: journal)
        try store.execute("ALTER TABLE t ADD COLUMN c")
        try store.execute("INSERT INTO t (b) VALUES (1)")
        #expect(try store.rows("SELECT a FROM t") == [["old text"], ["old text"]])
        #expect(throws: StoreError.self) { try store.rows("SELECT \"nothing\"") }
        try store.close()
    }

    @Test func `the table of tables is read only`() throws {
        let store = MemoryStore()
        #expect(#expect(throws: StoreError.self) { try store.execute("DELETE FROM sqlite_master") }?.code == .readOnly)
    }
}
