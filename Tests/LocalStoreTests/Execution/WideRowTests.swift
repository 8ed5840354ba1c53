import Foundation
import LocalStore
import SQLiteStore
import TestSupport
import Testing

/// Results of more columns than are read in place; see `ColumnSnapshot`.
@Suite(.needsSlot) struct WideRowTests {
    private static let columnCount = 1990

    private func fill(_ store: some LocalStore) throws {
        let columns = (0..<Self.columnCount).map { "c\($0)" }.joined(separator: ", ")
        try store.execute("CREATE TABLE t (\(columns))", [])
        for row in 0..<100 {
            let values = (0..<Self.columnCount).map { column in
                switch (row + column) % 5 {
                case 0: "NULL"
                case 1: "\(row % 3 * column)"
                case 2: "\(row % 7).5"
                default: "'text \(row % 4) \(column)'"
                }
            }
            try store.execute("INSERT INTO t VALUES (\(values.joined(separator: ", ")))", [])
        }
    }

    private static func list(_ columns: Range<Int>) -> String { columns.map { "c\($0)" }.joined(separator: ", ") }

    private static let statements = [
        "SELECT * FROM t",
        "SELECT rowid, * FROM t WHERE c1 IS NOT NULL LIMIT 3",
        "SELECT rowid, *, rowid FROM t ORDER BY c3 DESC, rowid",
        "SELECT DISTINCT \(list(0..<100)) FROM t",
        "SELECT \(list(0..<64)) FROM t",
        "SELECT \(list(0..<65)) FROM t",
        "SELECT \(list(0..<70)), count(*), max(c99), rowid FROM t GROUP BY \(list(0..<70))",
        "SELECT c0 FROM t ORDER BY \(list(4..<120)), rowid",
    ]

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `wide results are those of SQLite`() throws {
        let (memory, sqlite) = (MemoryStore(), try SQLiteStore(.memory))
        try fill(memory)
        try fill(sqlite)
        for sql in Self.statements {
            let (mine, theirs) = (try memory.rows(SQL(verbatim: sql)), try sqlite.rows(SQL(verbatim: sql)))
            // The order of groups of equal keys and of distinct rows is that of SQLite too.
            #expect(mine == theirs, "\(sql.prefix(80))")
        }
    }

    @Test func `wide results fit on the stack of a secondary thread`() throws {
        let store = MemoryStore()
        try fill(store)
        #expect(
            onSmallThread {
                for sql in Self.statements { #expect(throws: Never.self) { try store.rows(SQL(verbatim: sql)) } }
                return true
            })
    }
}
