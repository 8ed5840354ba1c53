import Foundation
import TestSupport
import Testing

@testable import LocalStore

/// What happens to a file when the disk fails.
@Suite struct DeltaDiskTests {
    @Test(.enabled(if: SQLiteLibrary.system.isAvailable), .needsSmallDisk)
    func `T18: the disk is full`() throws {
        let disk = try SmallDisk(megabytes: 8)
        let ballast = disk.folder.path("ballast")
        try Data(repeating: 1, count: 6_000_000).write(to: URL(filePath: ballast))
        let store = try SQLiteStore(.file(disk.folder.path("store.sqlite")))
        let world = try DeltaWorld(store)
        try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
        let state = try world.state()
        let label = String(repeating: "0123456789", count: 100)
        let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"\(label)\"}" }
        for from in ["1", nil] {
            let error = try world.refuse(DeltaWorld.text(from, "2", rows), .store)
            let cause = try #require(error?.underlying as? StoreError)
            #expect([.full, .io].contains(cause.code), "\(cause)")
            #expect(try world.state() == state)
        }
        // With some room again, what was loaded in vain is let go.
        try FileManager.default.removeItem(atPath: ballast)
        try world.apply(nil, "2", [#"+{"id":2,"label":"b"}"#])
        #expect(try world.rows() == [[2, "b"]])
        #expect(try store.tables() == ["patchbay_delta", "socket"])
        try store.close()
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `a damaged file is set aside, and the rows are loaded anew`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        let sound = try SQLiteStore(.file(path))
        try DeltaWorld(sound).apply(nil, "1", [#"+{"id":1}"#])
        try sound.close()
        var damaged = try Data(contentsOf: URL(filePath: path))
        damaged.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
        try damaged.write(to: URL(filePath: path))
        var configuration = SQLiteStore.Configuration()
        configuration.damage = .setAside
        let store = try SQLiteStore(.file(path), configuration: configuration)
        #expect(try Data(contentsOf: URL(filePath: #require(store.fileSetAside))) == damaged)
        let world = try DeltaWorld(store)
        #expect(try world.request() == .everything)
        try world.apply(nil, "1", [#"+{"id":1}"#])
        try store.close()
    }
}
