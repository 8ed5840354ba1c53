import Foundation
import StoreTestSupport
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// SQL functions of the app.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteFunctionTests {
    typealias Function = SQLiteStore.Function

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func configuration(_ functions: Function...) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.functions = functions
        return configuration
    }

    private func store(_ functions: Function...) throws -> SQLiteStore {
        var configuration = SQLiteStore.Configuration()
        configuration.functions = functions
        return try SQLiteStore(.memory, configuration: configuration)
    }

    // MARK: Values

    static let values: [StoreValue] = [
        .null, .integer(.min), .integer(.max), .real(1.5), .real(-.infinity), .text(""), .text("a\0b"), .text("é😀"),
        .blob(Data()), .blob(Data([0, 255, 0])),
    ]

    @Test(arguments: values) func `arguments and results keep their values`(value: StoreValue) throws {
        let store = try store(
            Function("same", argumentCount: 1) { $0.value(at: 0) },
            Function("second", argumentCount: 2) { $0.value(at: 1) })
        #expect(
            try store.rows("SELECT same(?1), second(0, ?1), typeof(same(?1)) = typeof(?1)", [value])
                == [[value, value, 1]])
    }

    @Test func `invalid UTF-8 reaches a function as bytes`() throws {
        let store = try store(
            Function("bytes", argumentCount: 1) { arguments in
                arguments.withBytes(at: 0) { $0.map { String($0, radix: 16) }.joined(separator: " ") }
            }, Function("read", argumentCount: 1) { $0.text(at: 0) })
        #expect(try store.value("SELECT bytes(CAST(x'61ff00' AS TEXT))") == "61 ff 0")
        #expect(try store.value("SELECT read(CAST(x'61ff' AS TEXT))") == "a\u{FFFD}")
        #expect(try store.value("SELECT bytes(1)") == .null)
    }

    @Test func `NaN is NULL, and results convert`() throws {
        let store = try store(
            Function("nan", argumentCount: 0) { _ in Double.nan }, Function("yes", argumentCount: 0) { _ in true },
            Function("maybe", argumentCount: 1) { $0.isNull(at: 0) ? nil : 5 as Int? })
        #expect(try store.rows("SELECT nan(), yes(), maybe(NULL), maybe(1)") == [[.null, 1, .null, 5]])
    }

    @Test func `the number of arguments is checked`() throws {
        let store = try store(
            Function("f", argumentCount: 1) { _ in "one" }, Function("f", argumentCount: 2) { _ in "two" },
            Function("any") { $0.columnCount })
        #expect(try store.rows("SELECT f(0), F(0, 0)") == [["one", "two"]])
        #expect(try store.rows("SELECT any(), any(1, 2, 3)") == [[0, 3]])
        let wrong = error { _ = try store.rows("SELECT f()") }
        #expect(wrong?.message == "wrong number of arguments to function f()")
        // Reading another index is NULL, as in a row.
        #expect(
            try SQLiteStore(.memory, configuration: configuration(Function("g") { $0.value(at: 5) })).rows(
                "SELECT g(1)") == [[.null]])
    }

    @Test func `invalid names and counts are refused`() {
        for function in [
            Function("") { _ in 1 }, Function("a\0b") { _ in 1 },
            Function(String(repeating: "f", count: 256)) { _ in 1 }, Function("f", argumentCount: -1) { _ in 1 },
            Function("f", argumentCount: 128) { _ in 1 },
        ] {
            #expect(
                error { _ = try SQLiteStore(.memory, configuration: configuration(function)) }?.code
                    == .invalidArgument)
        }
    }

    @Test func `an unknown function is named with advice`() throws {
        let unknown = error { _ = try store().rows("SELECT absent(1)") }
        #expect(unknown?.code == .unsupportedSQL)
        #expect(unknown?.message.contains("no such function: absent; ") == true)
        #expect(unknown?.message.contains("Configuration.functions") == true)
    }

    // MARK: Errors

    private struct Foreign: Error { let secret = "hunter2" }

    /// Quotes a value.
    private struct Quoting: PatchbayError {
        let code = Code(1, name: "quoting")
        let message = "Not a color: hunter2."
    }

    @Test func `a thrown error becomes the error of the statement`() throws {
        let store = try store(
            Function("own") { _ -> Int in throw StoreError(.invalidArgument, "No such color.") },
            Function("other") { _ -> Int in throw Foreign() },
            Function("quoting") { _ -> Int in throw Quoting() },
            Function("second", argumentCount: 1, isInnocuous: true) { arguments in
                if arguments.int64(at: 0) == 2 { throw StoreError(.failed, "Two.") }
                return 0
            })
        try store.execute("CREATE TABLE t (a)")
        try store.execute("INSERT INTO t VALUES (1), (2), (3)")
        let own = error { _ = try store.rows("SELECT own()") }
        #expect(own?.code == .failed)
        #expect(own?.message == "SQL function own failed: No such color.")
        let foreign = error { _ = try store.rows("SELECT other(a) FROM t") }
        #expect(foreign?.code == .failed)
        #expect(foreign?.message == "SQL function other failed: it threw Foreign.")
        let quoting = error { _ = try store.rows("SELECT quoting()") }
        #expect(quoting?.message == "SQL function quoting failed: it threw Quoting.")
        // In the middle of a writing statement, which is undone.
        let writing = error { try store.execute("UPDATE t SET a = second(a)") }
        #expect(writing?.message == "SQL function second failed: Two.")
        #expect(try store.rows("SELECT a FROM t") == [[1], [2], [3]])
        let inRead = error { try store.read { _ = try $0.rows("SELECT own()") } }
        #expect(inRead?.message == "SQL function own failed: No such color.")
        let inBatch = error {
            try store.execute("CREATE TABLE b (id INTEGER PRIMARY KEY, CHECK (second(id) = 0))")
            try store.upsert(try RowBatch(["id"], [[1], [2]]), into: "b")
        }
        #expect(inBatch?.message == "SQL function second failed: Two.")
        #expect(try store.rows("SELECT id FROM b") == [])
    }

    // MARK: Calls to the store

    @Test(arguments: [true, false]) func `a function that calls the store does not deadlock`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let calls = Mutex<SQLiteStore?>(nil)
        let configuration = configuration(
            Function("nested") { _ in try calls.withLock { $0 }?.value("SELECT 5") ?? .null })
        let store = try SQLiteStore(isFile ? .file(folder.path("a")) : .memory, configuration: configuration)
        defer { calls.withLock { $0 = nil } }
        calls.withLock { $0 = store }
        try store.execute("CREATE TABLE t (a)")
        let refused = "SQL function nested failed: Store called from a row callback of the same connection"
        if isFile {
            // Readers have their own connections.
            #expect(try store.value("SELECT nested()") == 5)
        } else {
            #expect(error { _ = try store.rows("SELECT nested()") }?.message.hasPrefix(refused) == true)
        }
        let writing = error { try store.execute("INSERT INTO t VALUES (nested())") }
        #expect(writing?.code == .failed)
        #expect(writing?.message.hasPrefix(refused) == true)
        #expect(try store.rows("SELECT * FROM t") == [])
    }

    // MARK: The file's schema

    @Test func `only innocuous functions work in triggers, views and indexes`() throws {
        let store = try store(
            Function("plain", argumentCount: 1, isDeterministic: true) { $0.text(at: 0)?.lowercased() },
            Function("safe", argumentCount: 1, isDeterministic: true, isInnocuous: true) {
                $0.text(at: 0)?.lowercased()
            }, Function("changing", argumentCount: 1, isInnocuous: true) { $0.value(at: 0) })
        try store.execute("CREATE TABLE t (a TEXT)")
        try store.execute("CREATE TABLE log (a TEXT)")
        try store.execute("INSERT INTO t VALUES ('ABC')")
        try store.execute("CREATE VIEW v AS SELECT plain(a) FROM t")
        let unsafe = error { _ = try store.rows("SELECT * FROM v") }
        #expect(unsafe?.code == .unsupportedSQL)
        #expect(unsafe?.message.hasPrefix("unsafe use of plain(); ") == true)
        #expect(unsafe?.message.contains("isInnocuous") == true)
        #expect(error { try store.execute("CREATE INDEX i ON t (plain(a))") }?.code == .unsupportedSQL)
        #expect(error { try store.execute("CREATE INDEX i ON t (changing(a))") } != nil)

        try store.execute("CREATE INDEX i ON t (safe(a))")
        try store.execute("CREATE VIEW w AS SELECT safe(a) FROM t")
        try store.execute("CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (safe(new.a)); END")
        try store.execute("INSERT INTO t VALUES ('DEF')")
        #expect(try store.rows("SELECT * FROM w") == [["abc"], ["def"]])
        #expect(try store.rows("SELECT * FROM log") == [["def"]])
        #expect(try store.rows("SELECT a FROM t WHERE safe(a) = 'abc'") == [["ABC"]])
        let plan = try store.rows("EXPLAIN QUERY PLAN SELECT a FROM t WHERE safe(a) = 'abc'")
        #expect(plan.contains { row in row.contains { "\($0)".contains("USING INDEX i") } })
        #expect(try store.integrityProblems() == [])
    }

    @Test func `a trusted schema may use any function`() throws {
        var configuration = configuration(Function("plain", argumentCount: 1) { $0.value(at: 0) })
        configuration.trustsSchema = true
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE VIEW v AS SELECT plain(5) AS five")
        #expect(try store.rows("SELECT five FROM v") == [[5]])
    }

    @Test func `every connection has the functions`() throws {
        let folder = try TemporaryFolder()
        let configuration = configuration(.unicodeLower, .unicodeUpper)
        let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        try store.execute("CREATE TABLE t (a)")
        try store.execute("INSERT INTO t VALUES (unicodeUpper('é'))")
        #expect(try store.rows("SELECT a, unicodeLower(a) FROM t") == [["É", "é"]])
        #expect(try store.read { try $0.rows("SELECT unicodeLower('É'), unicodeLower(5)") } == [["é", 5]])
        try store.query("SELECT unicodeUpper(NULL)") { row throws in
            let isNull = row.isNull(at: 0)
            #expect(isNull)
            #expect(try store.value("SELECT unicodeUpper('ß')") == "SS")
            return true
        }
    }
}
