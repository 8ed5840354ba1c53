import StoreTestSupport
import Testing

@testable import LocalStore

/// Full tables. The capacity is lowered, since the real one exceeds a test machine's memory.
@Suite struct MemoryLimitTests {
    private func makeStore(_ sql: String) throws -> MemoryStore {
        let store = MemoryStore()
        try store.execute(sql, [])
        try store.perform { database throws(StoreError) in
            #expect(try database.table(0).capacity == Int(Int32.max))
            try database.withTable(0) { table, _ in table.capacity = 3 }
        }
        return store
    }

    @Test(arguments: ["CREATE TABLE a (id INTEGER PRIMARY KEY, n)", "CREATE TABLE a (id TEXT PRIMARY KEY, n)"])
    func `inserting into a full table fails without changes`(sql: String) throws {
        let store = try makeStore(sql)
        try store.execute("INSERT INTO a VALUES (1, 1), (2, 2)")
        let before = try store.everything()
        for rows in [[["3", 3], ["4", 4]], [["3", 3], ["2", 5], ["4", 4], ["5", 5]]] as [[[StoreValue]]] {
            let error = #expect(throws: StoreError.self) {
                try store.upsert(try RowBatch(["id", "n"], rows), into: "a")
            }
            #expect(error?.code == .full)
            #expect(try store.everything() == before)
        }
        #expect(
            #expect(throws: StoreError.self) { try store.execute("INSERT INTO a SELECT id + 2, n FROM a") }?.code
                == .full)
        #expect(try store.everything() == before)
        try store.execute("INSERT INTO a VALUES (3, 3)")
        // Existing rows can still be updated.
        try store.upsert(try RowBatch(["id", "n"], [["3", 4], ["1", 0]]), into: "a")
        #expect(try store.value("SELECT sum(n) FROM a") == 6)
    }

    @Test func `deleted rows free capacity`() throws {
        let store = try makeStore("CREATE TABLE a (id INTEGER PRIMARY KEY)")
        for id in 1...20 as ClosedRange<Int64> {
            try store.execute("INSERT INTO a VALUES (?)", [.integer(id)])
            try store.execute("DELETE FROM a WHERE id < ?", [.integer(id - 1)])
        }
        #expect(try store.rows("SELECT id FROM a") == [[19], [20]])
    }

    @Test func `the column limit is that of SQ lite`() throws {
        let store = MemoryStore()
        func columns(_ count: Int) -> String { (0..<count).map { "c\($0)" }.joined(separator: ", ") }
        try store.execute("CREATE TABLE a (\(columns(2000)))", [])
        for sql in ["CREATE TABLE b (\(columns(2001)))", "ALTER TABLE a ADD COLUMN more"] {
            #expect(#expect(throws: StoreError.self) { try store.execute(sql, []) }?.code == .tooLarge)
        }
        #expect(try store.tableNames() == ["a"])
        try store.execute("INSERT INTO a (c1999) VALUES (1)")
    }

    @Test func `lists are no longer than in SQ lite`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE a (n)")
        for (form, element, list) in [
            ("SELECT !", "1", "columns in result set"), ("SELECT ! FROM a", "*", "columns in result set"),
            ("DELETE FROM a RETURNING !", "n", "columns in result set"),
            ("UPDATE a SET !", "n = 1", "columns in set list"),
            ("SELECT n FROM a ORDER BY !", "n", "terms in ORDER BY clause"),
            ("SELECT n FROM a GROUP BY !", "n", "terms in GROUP BY clause"),
        ] {
            func sql(_ count: Int) -> String {
                form.replacing("!", with: repeatElement(element, count: count).joined(separator: ", "))
            }
            _ = try store.rows(sql(2000), [])
            let error = #expect(throws: StoreError.self, "\(form)") { try store.rows(sql(2001), []) }
            #expect(error?.code == .tooLarge)
            #expect(error?.message == "too many \(list): the maximum is 2000")
        }
    }

    /// The length is checked before the text is built.
    @Test func `texts are no longer than in SQ lite`() throws {
        let store = MemoryStore()
        let operands = repeatElement("?1", count: 1001).joined(separator: " || ")
        for (sql, length) in [("SELECT replace(?1, 'x', ?1)", 40_000), ("SELECT \(operands)", 1_000_000)] {
            let text = StoreValue.text(String(repeating: "x", count: length))
            let error = #expect(throws: StoreError.self) { try store.rows(sql, [text]) }
            #expect(error?.code == .tooLarge)
            #expect(error?.message == "string or blob too big: more than 1000000000 bytes")
        }
        // Lower limits, since these have to have their operands in memory.
        #expect(try SQLFunction.hexadecimal([1, 0xAB], limit: 4).elementsEqual("01AB".utf8))
        let hexError = #expect(throws: StoreError.self) { try SQLFunction.hexadecimal([1, 2], limit: 3) }
        #expect(hexError?.code == .tooLarge)
        var aggregate = SQLAggregate(.groupConcat)
        try aggregate.add(.text("abc"), limit: 7)
        try aggregate.add(.text("def"), limit: 7)
        let aggregateError = #expect(throws: StoreError.self) { try aggregate.add(.text(""), limit: 7) }
        #expect(aggregateError?.code == .tooLarge)
        #expect(try aggregate.result() == .text("abc,def"))
    }
}
