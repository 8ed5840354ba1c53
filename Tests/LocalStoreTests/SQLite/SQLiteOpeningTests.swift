import Foundation
import TestSupport
import Testing

@testable import LocalStore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteOpeningTests {
    @Test(arguments: [(nil, false), ("wal", false), ("delete", true), ("truncate", true)] as [(String?, Bool)])
    func withoutALogEachCommitIsSynchronized(mode: String?, isNeeded: Bool) {
        #expect(SQLiteOpening.needsFullSync(journalMode: mode) == isNeeded)
    }

    @Test(arguments: [(.normal, "1", "0"), (.full, "2", "1")] as [(SQLiteStore.Durability, String, String)])
    func theWriterWaitsForTheDiskAsAsked(
        durability: SQLiteStore.Durability, synchronous: String, isWholly: String
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.durability = durability
        var writer = try SQLiteOpening(.file(folder.path("a")), key: .none, configuration).connection(.writer)
        var answers: [String] = []
        for setting in ["synchronous", "fullfsync"] {
            try writer.ask("PRAGMA \(setting)") { answers.append($0.int64(at: 0).map(String.init) ?? "") }
        }
        #expect(answers == [synchronous, isWholly])
    }

    @Test func aReaderMakesNoFile() throws {
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
