import Testing

@testable import LocalStore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct StatementCacheTests {
    private func connection(capacity: Int) throws -> SQLiteConnection {
        var configuration = SQLiteStore.Configuration()
        configuration.statementCapacity = capacity
        return try SQLiteOpening(.memory, key: .none, configuration).connection(.writer)
    }

    @Test func aStatementIsCompiledOnce() throws {
        var connection = try connection(capacity: 2)
        let first = try connection.statement("SELECT 1")
        _ = try connection.statement("SELECT 2")
        #expect(try connection.statement("SELECT 1") === first)
    }

    @Test func theOneUsedLeastRecentlyMakesRoom() throws {
        var connection = try connection(capacity: 2)
        let first = try connection.statement("SELECT 1")
        let second = try connection.statement("SELECT 2")
        #expect(try connection.statement("SELECT 1") === first)
        _ = try connection.statement("SELECT 3")
        #expect(try connection.statement("SELECT 1") === first)
        #expect(try connection.statement("SELECT 2") !== second)
        try connection.run(connection.statement("SELECT 1"))
    }

    @Test func thereIsRoomForOneAtLeast() throws {
        var connection = try connection(capacity: -1)
        for number in 0..<5 { try connection.run(connection.statement("SELECT \(number)")) }
    }

    @Test func aTextIsItsBytes() {
        #expect(SQLText("a") == SQLText("a"))
        #expect(SQLText("\u{212B}") != SQLText("A\u{030A}"))
        #expect("\u{212B}" == "A\u{030A}")
        #expect(SQLText("") == SQLText(""))
        #expect(Set([SQLText("a"), SQLText("a"), SQLText("b")]).count == 2)
    }
}
