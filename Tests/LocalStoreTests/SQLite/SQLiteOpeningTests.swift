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
