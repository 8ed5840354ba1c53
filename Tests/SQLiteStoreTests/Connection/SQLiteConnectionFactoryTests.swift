import Foundation
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteConnectionFactoryTests {
    @Test(arguments: [(nil, false), ("wal", false), ("delete", true), ("truncate", true)] as [(String?, Bool)])
    func `commits are synchronized without WAL`(mode: String?, isNeeded: Bool) {
        #expect(SQLiteConnectionFactory.needsFullSync(journalMode: mode) == isNeeded)
    }

    @Test(arguments: [(.normal, "1", "0"), (.full, "2", "1")] as [(SQLiteStore.Durability, String, String)])
    func `durability sets the pragmas`(
        durability: SQLiteStore.Durability, synchronous: String, isWholly: String
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.durability = durability
        var writer = try SQLiteConnectionFactory(.file(folder.path("a")), key: .unencrypted, configuration)
            .makeConnection(
                .writer)
        var values: [String] = []
        for setting in ["synchronous", "fullfsync"] {
            try writer.runInternal("PRAGMA \(setting)") { values.append($0.int64(at: 0).map(String.init) ?? "") }
        }
        #expect(values == [synchronous, isWholly])
    }

    @Test func `deleted rows are overwritten where SQLite writes the page anyway`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var writer = try SQLiteConnectionFactory(
            .file(folder.path("a")), key: .unencrypted, SQLiteStore.Configuration()
        ).makeConnection(.writer)
        var mode: Int64?
        try writer.runInternal("PRAGMA secure_delete") { mode = $0.int64(at: 0) }
        // FAST
        #expect(mode == 2)
    }

    @Test func `readers recompile after a schema change`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let factory = try SQLiteConnectionFactory(
            .file(folder.path("a")), key: .unencrypted, SQLiteStore.Configuration())
        var writer = try factory.makeConnection(.writer)
        try writer.run(writer.statement("CREATE TABLE t (a)"))
        var reader = try factory.makeConnection(.reader)
        let sql = "SELECT * FROM t"
        try reader.readSnapshot { snapshot throws in #expect(try snapshot.rows(sql, []).isEmpty) }
        try writer.run(writer.statement("ALTER TABLE t ADD b"))
        try writer.run(writer.statement("INSERT INTO t VALUES (1, 2)"))
        try reader.readSnapshot { snapshot throws in #expect(try snapshot.rows(sql, []) == [[1, 2]]) }
        let statement = try reader.statement(sql)
        // Prepared for the current schema, without a recompilation.
        #expect(statement.columnNames == ["a", "b"])
        #expect(statement.recompilations == 0)
        let isInTransaction = reader.isInTransaction
        #expect(!isInTransaction)
    }

    @Test func `readers create no file`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a")
        let store = try SQLiteStore(.file(path))
        try store.execute("CREATE TABLE t (a)")
        try FileManager.default.removeItem(atPath: path)
        #expect(#expect(throws: StoreError.self) { try store.rows("SELECT * FROM t") }?.code == .io)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
