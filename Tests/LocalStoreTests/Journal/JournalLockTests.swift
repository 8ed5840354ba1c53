import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot) struct JournalLockTests {
    private func expectBusy(_ world: JournalWorld, _ comment: Comment? = nil) throws {
        let content = try world.content()
        let error = #expect(throws: StoreError.self, comment) { _ = try world.open() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("close that store") == true)
        #expect(try world.content() == content)
    }

    @Test func `a second store is refused until the first is closed`() throws {
        try JournalWorld.run { world in
            let store = try world.open()
            try store.execute("CREATE TABLE a (n)")
            try expectBusy(world)
            try store.execute("INSERT INTO a VALUES (1)")
            try store.close()
            let next = try world.open()
            #expect(try next.value("SELECT count(*) FROM a") == 1)
            try next.close()
        }
    }

    @Test func `a store that is let go lets its journal go`() throws {
        try JournalWorld.run { world in
            do { try world.open().execute("CREATE TABLE a (n)") }
            let next = try world.open()
            #expect(try next.tableNames() == ["a"])
            try next.close()
        }
    }

    @Test func `a journal that was rewritten is still taken`() throws {
        try JournalWorld.run { world in
            let disk = FaultyDisk(journal: world.path)
            let store = try world.open(rotationSize: 100, disk: disk.calls)
            try store.execute("CREATE TABLE a (n)")
            for number in 0..<50 {
                try store.execute("DELETE FROM a")
                try store.execute("INSERT INTO a VALUES (?)", [.integer(Int64(number))])
                if number % 10 == 0 { try expectBusy(world, "after \(number) changes") }
            }
            #expect(disk.count(of: .rename) > 5)
            try store.close()
            let next = try world.open()
            #expect(try next.rows("SELECT n FROM a") == [[49]])
            try next.close()
        }
    }

    @Test func `a journal by another name is the same`() throws {
        try JournalWorld.run { world in
            let store = try world.open(rotationSize: 100)
            let link = world.folder.path("link.journal")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: world.path)
            for name in [link, world.folder.url.path + "/./a.journal"] {
                let error = #expect(throws: StoreError.self) {
                    _ = try MemoryStore(journal: MemoryJournalConfiguration(path: name))
                }
                #expect(error?.code == .busy, "\(name)")
            }
            try store.close()
            // Rewriting replaces the file, and not the link.
            let linked = try MemoryStore(journal: MemoryJournalConfiguration(path: link, rotationSize: 100))
            try linked.makeTables()
            for number in 0..<20 { try linked.execute("UPDATE a SET x = ?", [.integer(Int64(number))]) }
            for number in 0..<20 {
                try linked.execute("INSERT OR REPLACE INTO b VALUES ('x', ?)", [.integer(Int64(number))])
            }
            try linked.close()
            let again = try world.open()
            #expect(try again.rows("SELECT n FROM b") == [[19]])
            try again.close()
        }
    }

    /// A program that is being started has, for a moment, copies of all that is open.
    @Test func `a journal that was let go is free though a copy of its files is open`() throws {
        try JournalWorld.run { world in
            let store = try world.open()
            let copies = JournalWorld.descriptors(of: world.path + ".lock").map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(!copies.isEmpty)
            try store.close()
            let next = try world.open()
            try next.close()
        }
    }

    @Test(.enabled(if: DeltaWriter.exists, "delta-writer is not here"))
    func `another program keeps it until it ends`() throws {
        try JournalWorld.run { world in
            let holder = try DeltaWriter("hold", world.path)
            try holder.waitUntilReady()
            try expectBusy(world)
            holder.kill()
            let store = try world.open()
            try store.close()
        }
    }

    @Test func `no program that is started inherits its files`() throws {
        try JournalWorld.run { world in
            let store = try world.open()
            let paths = [world.path, world.path + ".lock"]
            for path in paths {
                let descriptors = JournalWorld.descriptors(of: path)
                #expect(!descriptors.isEmpty)
                for descriptor in descriptors { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
            }
            try store.close()
        }
    }

    private func files(_ world: JournalWorld) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path).sorted()
    }

    @Test func `the lock file goes with the store`() throws {
        try JournalWorld.run { world in
            let store = try world.open()
            #expect(try files(world) == ["a.journal", "a.journal.lock"])
            try expectBusy(world)
            #expect(try files(world) == ["a.journal", "a.journal.lock"])
            try store.close()
            #expect(try files(world) == ["a.journal"])
            do { _ = try world.open() }
            #expect(try files(world) == ["a.journal"])
        }
    }

    @Test func `a failed open leaves no lock file`() throws {
        try JournalWorld.run { world in
            try world.put(Data("no journal, but a text of some length".utf8))
            #expect(throws: StoreError.self) { _ = try world.open() }
            #expect(try files(world) == ["a.journal"])
            try FileManager.default.removeItem(atPath: world.path)
            try FileManager.default.createDirectory(atPath: world.path, withIntermediateDirectories: false)
            #expect(throws: StoreError.self) { _ = try world.open() }
            #expect(try files(world) == ["a.journal"])
        }
    }

    /// A killed process leaves the file of its lock, which locks nothing.
    @Test func `a lock file that was left is taken and removed`() throws {
        try JournalWorld.run { world in
            try Data().write(to: URL(filePath: world.path + ".lock"))
            let store = try world.open()
            try expectBusy(world)
            try store.close()
            #expect(try files(world) == ["a.journal"])
        }
    }

    @Test func `a path with NUL is refused`() {
        let error = #expect(throws: StoreError.self) {
            _ = try MemoryStore(journal: MemoryJournalConfiguration(path: "/tmp/a\0b"))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a journal by another hard link is the same`() throws {
        try JournalWorld.run { world in
            let store = try world.open(rotationSize: 100)
            try store.execute("CREATE TABLE a (n)")
            let other = world.folder.path("other.journal")
            try FileManager.default.linkItem(atPath: world.path, toPath: other)
            let error = #expect(throws: StoreError.self) {
                _ = try MemoryStore(journal: MemoryJournalConfiguration(path: other))
            }
            #expect(error?.code == .busy)
            #expect(try world.folder.names.contains("other.journal.lock") == false)
            try store.execute("INSERT INTO a VALUES (1)")
            try store.close()
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a journal that was deleted or replaced acknowledges no commit`(isReplaced: Bool, isSynchronous: Bool) throws {
        try JournalWorld.run { world in
            let store = try world.open(isSynchronous: isSynchronous)
            try store.execute("CREATE TABLE a (n)")
            try FileManager.default.removeItem(atPath: world.path)
            if isReplaced { try world.put(Data("other".utf8)) }
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try store.execute("INSERT INTO a VALUES (1)") }
                #expect(error?.code == .io && error?.message.contains(world.path) == true, "\(error as Any)")
            }
            // The data is still there, to be saved.
            #expect(try store.value("SELECT count(*) FROM a") == 0)
            #expect(#expect(throws: StoreError.self) { try store.close() }?.code == .io)
            if isReplaced { #expect(try world.content() == Data("other".utf8)) }
        }
    }
}
