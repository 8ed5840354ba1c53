import Foundation
import TestSupport
import Testing

@testable import LocalStore

/// Behavior on a full disk and with a corrupt file.
@Suite struct DeltaDiskTests {
    @Test(.needsSmallDisk, arguments: CrashFile.all)
    func `T18: the disk is full`(file: CrashFile) throws {
        let disk = try SmallDisk(megabytes: 8)
        defer { withExtendedLifetime(disk) {} }
        let ballast = disk.folder.path("ballast")
        try Data(repeating: 1, count: 6_000_000).write(to: URL(filePath: ballast))
        let store = try file.open(disk.folder.path(file.name))
        let fixture = try DeltaFixture(store)
        try fixture.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
        let state = try fixture.state()
        let label = String(repeating: "0123456789", count: 100)
        let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"\(label)\"}" }
        for from in ["1", nil] {
            let error = try fixture.refuse(DeltaFixture.text(from, "2", rows), .store)
            let cause = try #require(error?.underlying as? StoreError)
            #expect([.full, .io].contains(cause.code), "\(cause)")
            #expect(try fixture.state() == state)
        }
        // After space is freed, the shadow tables of the failed load are dropped.
        try FileManager.default.removeItem(atPath: ballast)
        try fixture.apply(nil, "2", [#"+{"id":2,"label":"b"}"#])
        #expect(try fixture.rows() == [[2, "b"]])
        #expect(try store.tableNames() == ["socket"])
        try store.close()
        let again = try file.open(disk.folder.path(file.name))
        #expect(try again.rows("SELECT id, label FROM socket") == [[2, "b"]])
        try again.close()
    }

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

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `a corrupt file is quarantined, and the next request is a full load`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        let sound = try SQLiteStore(.file(path))
        try DeltaFixture(sound).apply(nil, "1", [#"+{"id":1}"#])
        try sound.close()
        var damaged = try Data(contentsOf: URL(filePath: path))
        damaged.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
        try damaged.write(to: URL(filePath: path))
        var configuration = SQLiteStore.Configuration()
        configuration.corruptionPolicy = .quarantine
        let store = try SQLiteStore(.file(path), configuration: configuration)
        #expect(try Data(contentsOf: URL(filePath: #require(store.quarantinedFile))) == damaged)
        let fixture = try DeltaFixture(store)
        #expect(try fixture.request() == .fullLoad)
        try fixture.apply(nil, "1", [#"+{"id":1}"#])
        try store.close()
    }
}
