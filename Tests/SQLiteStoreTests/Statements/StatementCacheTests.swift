import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct StatementCacheTests {
    private func connection(capacity: Int) throws -> SQLiteConnection {
        var configuration = SQLiteStore.Configuration()
        configuration.statementCacheSize = capacity
        return try SQLiteConnectionFactory(.memory, key: .unencrypted, configuration).makeConnection(.writer)
    }

    @Test func `statements are compiled once`() throws {
        var connection = try connection(capacity: 2)
        let first = try connection.statement("SELECT 1")
        _ = try connection.statement("SELECT 2")
        #expect(try connection.statement("SELECT 1") === first)
    }

    @Test func `least recently used statement is evicted`() throws {
        var connection = try connection(capacity: 2)
        let first = try connection.statement("SELECT 1")
        let second = try connection.statement("SELECT 2")
        #expect(try connection.statement("SELECT 1") === first)
        _ = try connection.statement("SELECT 3")
        #expect(try connection.statement("SELECT 1") === first)
        #expect(try connection.statement("SELECT 2") !== second)
        try connection.run(connection.statement("SELECT 1"))
    }

    @Test(arguments: [-1, 0, 1])
    func `statements in use survive eviction`(capacity: Int) throws {
        var connection = try connection(capacity: capacity)
        let first = try connection.statement("SELECT 1 AS a")
        for number in 2..<5 { try connection.run(connection.statement("SELECT \(number)")) }
        var seen: [StoreValue] = []
        try connection.run(first) { row in
            seen.append(row.value(at: 0))
            return true
        }
        #expect(seen == [1])
        #expect(try connection.statement("SELECT 1 AS a") !== first)
    }

    @Test func `long statements are not cached`() throws {
        var connection = try connection(capacity: 8)
        for (count, isKept) in [(16_000, true), (17_000, false)] {
            let text = "SELECT '\(String(repeating: "x", count: count))'"
            let first = try connection.statement(text)
            #expect((try connection.statement(text) === first) == isKept)
        }
    }

    @Test func `sql text is compared bytewise`() {
        #expect(SQLText("a") == SQLText("a"))
        #expect(SQLText("\u{212B}") != SQLText("A\u{030A}"))
        #expect("\u{212B}" == "A\u{030A}")
        #expect(SQLText("") == SQLText(""))
        #expect(Set([SQLText("a"), SQLText("a"), SQLText("b")]).count == 2)
    }
}
