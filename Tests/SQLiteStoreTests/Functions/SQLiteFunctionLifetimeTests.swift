import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Aggregate functions, and the lifetime of functions and their states.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteFunctionLifetimeTests {
    typealias Function = SQLiteStore.Function

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func configuration(_ functions: Function...) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.functions = functions
        return configuration
    }

    private func store(_ function: Function) throws -> SQLiteStore {
        try SQLiteStore(.memory, configuration: configuration(function))
    }

    private static let joined = Function.aggregate(
        "joined", argumentCount: 1, initial: [String](),
        step: { state, arguments in
            if arguments.int64(at: 0) == -1 { throw StoreError(.failed, "Negative.") }
            if let text = arguments.text(at: 0) { state.append(text) }
        }, result: { $0.isEmpty ? nil : $0.joined(separator: "+") })

    @Test func `aggregates have a state for each group`() throws {
        let store = try store(Self.joined)
        try store.execute("CREATE TABLE t (a, b)")
        try store.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y'), (1, 'z'), (2, NULL)")
        #expect(try store.rows("SELECT a, joined(b) FROM t GROUP BY a") == [[1, "x+z"], [2, "y"]])
        #expect(try store.rows("SELECT joined(b) FROM t WHERE a = 9") == [[.null]])
        #expect(try store.rows("SELECT joined(b), joined(DISTINCT a || '') FROM t") == [["x+y+z", "1+2"]])
        let failure = error { _ = try store.rows("SELECT joined(-1) FROM t") }
        #expect(failure?.message == "SQL function joined failed: Negative.")
        let ended = try store.rows("SELECT joined(b) FROM t GROUP BY a LIMIT 1")
        #expect(ended == [["x+z"]])
    }

    /// Counts its instances.
    private final class Counted: Sendable {
        static let live = Mutex<[String: Int]>([:])
        private let name: String

        init(_ name: String) {
            self.name = name
            Self.live.withLock { $0[name, default: 0] += 1 }
        }

        deinit { Self.live.withLock { $0[name, default: 0] -= 1 } }

        static func count(_ name: String) -> Int { live.withLock { $0[name] ?? 0 } }
    }

    @Test func `states of groups are released, also after an error`() throws {
        let name = UUID().uuidString
        let store = try store(
            .aggregate(
                "f", argumentCount: 1, initial: [Counted](),
                step: { state, arguments in
                    state.append(Counted(name))
                    if arguments.int64(at: 0) == 3 { throw StoreError(.failed, "Three.") }
                }, result: { $0.count }))
        try store.execute("CREATE TABLE t (a)")
        try store.execute("INSERT INTO t VALUES (1), (2), (3)")
        #expect(try store.value("SELECT f(1) FROM t") == 3)
        #expect(error { _ = try store.rows("SELECT f(a) FROM t") } != nil)
        #expect(throws: Interruption()) {
            try store.query("SELECT f(a) FROM t WHERE a < 3 GROUP BY a") { _ in throw Interruption() }
        }
        #expect(Counted.count(name) == 0)
    }

    // MARK: Memory

    @Test func `functions are released with the store, and only then`() throws {
        let name = UUID().uuidString
        let folder = try TemporaryFolder()
        func use() throws {
            let counted = Counted(name)
            let configuration = configuration(
                Function("f") { _ in
                    _ = counted
                    return 1
                })
            let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
            #expect(try store.value("SELECT f()") == 1)
            try store.query("SELECT f()") { _ throws in
                #expect(try store.value("SELECT f()") == 1)
                return true
            }
            try store.close()
            #expect(Counted.count(name) == 1)
        }
        try use()
        #expect(Counted.count(name) == 0)
    }

    @Test func `refused functions are released`() throws {
        let name = UUID().uuidString
        func open() throws {
            let counted = Counted(name)
            let good = Function("good") { _ in
                _ = counted
                return 1
            }
            let bad = Function("") { _ in 1 }
            _ = try SQLiteStore(.memory, configuration: configuration(good, bad))
        }
        #expect(error(open)?.code == .invalidArgument)
        #expect(Counted.count(name) == 0)
    }

    @Test func `libraries without functions are reported when they are used`() throws {
        var plain = SQLiteStore.Configuration()
        plain.library = try FakeSQLite.without(["sqlite3_create_function_v2"])
        #expect(try SQLiteStore(.memory, configuration: plain).rows("SELECT 1") == [[1]])
        plain.functions = [.unicodeLower]
        let missing = error { _ = try SQLiteStore(.memory, configuration: plain) }
        #expect(missing?.code == .libraryMissing)
        #expect(missing?.message.contains("sqlite3_create_function_v2") == true)
    }
}
