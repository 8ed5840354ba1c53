import Foundation
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

/// Expressions on a thread with a 512 KiB stack, as secondary threads have on Apple platforms.
@Suite(.needsSlot) struct SQLDepthTests {
    private static let forms: [@Sendable (Int) -> String] = [
        { String(repeating: "(", count: $0) + "a" + String(repeating: ")", count: $0) },
        { String(repeating: "NOT ", count: $0) + "a" }, { String(repeating: "- ", count: $0) + "a" },
        { String(repeating: "coalesce(NULL, ", count: $0) + "a" + String(repeating: ")", count: $0) },
        { String(repeating: "CASE WHEN 1 THEN ", count: $0) + "a" + String(repeating: " END", count: $0) },
        { String(repeating: "CASE a WHEN ", count: $0) + "a" + String(repeating: " THEN 1 END", count: $0) },
        { String(repeating: "a IN (", count: $0) + "1" + String(repeating: ")", count: $0) },
        { String(repeating: "a BETWEEN (", count: $0) + "1" + String(repeating: ") AND 3", count: $0) },
        { String(repeating: "a LIKE (", count: $0) + "1" + String(repeating: ")", count: $0) },
        { String(repeating: "CAST(", count: $0) + "a" + String(repeating: " AS TEXT)", count: $0) },
        { String(repeating: "1 + (", count: $0) + "a" + String(repeating: ")", count: $0) },
        { String(repeating: "a AND (a OR ", count: $0) + "a" + String(repeating: ")", count: $0) },
        { "a" + String(repeating: " = 1", count: $0) },
        { "a" + String(repeating: " IS NULL", count: $0) }, { "a" + String(repeating: " LIKE a", count: $0) },
        { "a" + String(repeating: " BETWEEN a AND a", count: $0) }, { "a" + String(repeating: " IN (1)", count: $0) },
    ]

    @Test(arguments: 0..<17) func `deep expressions work or are rejected`(form: Int) throws {
        let results = Mutex<[Int: StoreError.Code?]>([:])
        Self.onASmallStack {
            let store = MemoryStore()
            _ = try? store.execute("CREATE TABLE t (a)")
            _ = try? store.execute("INSERT INTO t VALUES (1), (2)")
            for depth in [1, 12, 20, 38, 40, 58, 60, 100, 1000, 20_000] {
                let deep = Self.forms[form](depth)
                var code: StoreError.Code?
                do {
                    _ = try store.queryJSON("SELECT \(deep) FROM t WHERE \(deep) ORDER BY \(deep)", [])
                    try store.execute("UPDATE t SET a = a WHERE \(deep)", [])
                } catch { code = (error as? StoreError)?.code ?? .failed }
                results.withLock { $0[depth] = code }
            }
        }
        let codes = results.withLock { $0 }
        #expect(codes.count == 10)
        #expect(codes[1] == .some(nil) && codes[12] == .some(nil))
        #expect(codes[1000] == .unsupportedSQL && codes[20_000] == .unsupportedSQL)
        #expect(codes.values.allSatisfy { $0 == nil || $0 == .unsupportedSQL })
    }

    private static func onASmallStack(_ body: @escaping @Sendable () -> Void) {
        #expect(
            onSmallThread {
                body()
                return true
            })
    }

    /// Long but shallow expressions, as programs generate them.
    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `long expressions work on a small stack`() throws {
        func row(_ separator: String, _ count: Int) -> String {
            repeatElement("a", count: count).joined(separator: separator)
        }
        let operators = [" + ", " - ", " * ", " / ", " % ", " & ", " | ", " << ", " >> "]
        let mixed = (0..<900).map { "\($0 % 7 + 1)\(operators[$0 * $0 % operators.count])" }.joined() + "a"
        let cases = (0..<900).map { "WHEN a = \($0) THEN \($0) " }.joined()
        let expressions = [
            row(" + ", 900), row(" - ", 900), row(" * ", 900), row(" | ", 900), mixed, "(\(mixed)) - (\(mixed))",
            row(" AND ", 900), row(" OR ", 900), row(" = 2 OR ", 400), row(" || ", 900), "CASE \(cases)END",
            "coalesce(\(row(", ", 100)))", "a IN (\((0..<5000).map(String.init).joined(separator: ", ")))",
        ]
        let queries = expressions.map { "SELECT \($0), \($0) FROM t WHERE \($0) OR 1" }
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        for store in [memory, sqlite] as [any LocalStore] {
            try store.execute("CREATE TABLE t (a)")
            try store.execute("INSERT INTO t VALUES (1), (2), (NULL), ('3')")
        }
        let results = Mutex<[[[StoreValue]]?]>([])
        Self.onASmallStack {
            let rows = queries.map { try? memory.rows($0, []) }
            results.withLock { $0 = rows }
        }
        #expect(try results.withLock { $0 } == queries.map { try sqlite.rows($0, []) })
    }

    @Test func `long lists work on a small stack`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a)")
        for number in 0..<100 as Range<Int64> { try store.execute("INSERT INTO t VALUES (?)", [.integer(number)]) }
        let list = repeatElement("a", count: 2000).joined(separator: ", ")
        let queries = [
            "SELECT \(list) FROM t", "SELECT \(list) FROM t WHERE a >= 0 LIMIT 10", "SELECT DISTINCT \(list) FROM t",
            "SELECT a FROM t ORDER BY \(list)", "SELECT a FROM t GROUP BY \(list)",
        ]
        let rowCounts = Mutex<[Int?]>([])
        Self.onASmallStack {
            let counts = queries.map { try? store.rows($0, []).count }
            rowCounts.withLock { $0 = counts }
        }
        #expect(rowCounts.withLock { $0 } == [100, 10, 100, 100, 100])
    }

    @Test func `long expressions are not deep`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a)")
        try store.execute("INSERT INTO t VALUES (1)")
        func row(_ separator: String, _ count: Int) -> String {
            repeatElement("a", count: count).joined(separator: separator)
        }
        #expect(try store.rows("SELECT \(row(" AND ", 1000)), \(row(" OR ", 1000)) FROM t", []) == [[1, 1]])
        #expect(try store.rows("SELECT length(\(row(" || ", 1000))) FROM t", []) == [[1000]])
        #expect(try store.rows("SELECT 'a' || NULL || 'b', 'a' || 1 + 1 || 2, x'61' || 1.5") == [[.null, 12, "a1.5"]])
        #expect(try store.rows("SELECT \(row(" + ", 20_000)) FROM t WHERE \(row(" + ", 20_000)) > 1", []) == [[20_000]])
        #expect(try store.rows("SELECT a FROM t WHERE a IN (\(row(", ", 10_000)))", []) == [[1]])
        #expect(
            try store.rows(
                "SELECT a FROM t WHERE a IN (1, \((2...10_000).map(String.init).joined(separator: ", ")))", [])
                == [[1]])
    }
}
