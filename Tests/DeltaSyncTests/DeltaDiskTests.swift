import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

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
            #expect(try store.rows("SELECT name FROM sqlite_master WHERE name LIKE 'patchbay_shadow%'") == [])
        }
        // After space is freed, a load that needs more than half of it succeeds.
        try FileManager.default.removeItem(atPath: ballast)
        try fixture.apply(nil, "2", [#"+{"id":2,"label":"b"}"#])
        #expect(try fixture.rows() == [[2, "b"]])
        #expect(try store.tableNames() == ["socket"])
        try store.close()
        let again = try file.open(disk.folder.path(file.name))
        #expect(try again.rows("SELECT id, label FROM socket") == [[2, "b"]])
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
