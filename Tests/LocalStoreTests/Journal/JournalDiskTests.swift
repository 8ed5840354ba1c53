import Foundation
import TestSupport
import Testing

@testable import LocalStore

/// A journal on a full disk.
@Suite struct JournalDiskTests {
    @Test(.needsSmallDisk, arguments: [true, false])
    func `a commit that does not fit on the disk of a journal changes nothing`(isSynchronous: Bool) throws {
        let disk = try SmallDisk(megabytes: 2)
        defer { withExtendedLifetime(disk) {} }
        let path = disk.folder.path("store.journal")
        let configuration = MemoryJournalConfiguration(
            path: path, isSynchronous: isSynchronous, rotationSize: 600_000)
        let store = try MemoryStore(journal: configuration)
        try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, v BLOB)")
        let ballast = disk.folder.path("ballast")
        try Data(repeating: 1, count: 900_000).write(to: URL(filePath: ballast))
        // The journal grows, is rotated while there is space for two copies, and then fills the disk.
        var last: [[StoreValue]] = []
        var error: StoreError?
        for id in 0..<100 as Range<Int64> where error == nil {
            do {
                try store.execute(
                    "INSERT INTO a VALUES (?, ?)", [.integer(id), .blob(Data(repeating: UInt8(id), count: 30_000))])
                last = try store.rows("SELECT * FROM a")
            } catch let failure as StoreError {
                error = failure
            }
        }
        #expect(error?.code == .full)
        #expect(last.count > 20 && last.count < 60)
        #expect(try store.rows("SELECT * FROM a") == last)
        #expect(try MemoryStore(replaying: Data(contentsOf: URL(filePath: path))).rows("SELECT * FROM a") == last)
        // A small commit may still fit.
        _ = try? store.execute("INSERT INTO a VALUES (-1, NULL)")
        try FileManager.default.removeItem(atPath: ballast)
        try store.execute("INSERT INTO a VALUES (1000, x'07')")
        let all = try store.rows("SELECT * FROM a")
        try store.close()
        let again = try MemoryStore(journal: configuration)
        #expect(try again.rows("SELECT * FROM a") == all)
        try again.close()
    }
}
