import Foundation
import TestSupport
import Testing

@testable import LocalStore

@Suite struct JournalLockTests {
    private func expectBusy(_ world: JournalWorld, _ comment: Comment? = nil) throws {
        let content = try world.content()
        let error = #expect(throws: StoreError.self, comment) { _ = try world.open() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("Close that one") == true)
        #expect(try world.content() == content)
    }

    @Test func aSecondStoreIsRefusedUntilTheFirstIsClosed() throws {
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

    @Test func aStoreThatIsLetGoLetsItsJournalGo() throws {
        try JournalWorld.run { world in
            do { try world.open().execute("CREATE TABLE a (n)") }
            let next = try world.open()
            #expect(try next.tables() == ["a"])
            try next.close()
        }
    }

    @Test func aJournalThatWasRewrittenIsStillTaken() throws {
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

    @Test func aJournalByAnotherNameIsTheSame() throws {
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
    @Test func aJournalThatWasLetGoIsFreeThoughACopyOfItsFilesIsOpen() throws {
        try JournalWorld.run { world in
            let store = try world.open()
            let inode = try JournalWorld.inode(world.path + ".lock")
            let copies = (3..<1024 as Range<CInt>).compactMap { file -> CInt? in
                var status = stat()
                return fstat(file, &status) == 0 && UInt64(status.st_ino) == inode ? dup(file) : nil
            }
            defer { for copy in copies { close(copy) } }
            #expect(!copies.isEmpty)
            try store.close()
            let next = try world.open()
            try next.close()
        }
    }

    @Test(.enabled(if: DeltaWriter.exists, "delta-writer is not here"))
    func anotherProgramKeepsItUntilItEnds() throws {
        try JournalWorld.run { world in
            let holder = try DeltaWriter("hold", world.path)
            try holder.waitUntilReady()
            try expectBusy(world)
            holder.kill()
            let store = try world.open()
            try store.close()
        }
    }

    @Test func noProgramThatIsStartedInheritsItsFiles() throws {
        try JournalWorld.run { world in
            let store = try world.open()
            let paths = [world.path, world.path + ".lock"]
            let inodes = try paths.map { try JournalWorld.inode($0) }
            var found: Set<UInt64> = []
            for file in 3..<1024 as Range<CInt> {
                var status = stat()
                guard fstat(file, &status) == 0, inodes.contains(UInt64(status.st_ino)) else { continue }
                found.insert(UInt64(status.st_ino))
                #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
            }
            #expect(found == Set(inodes))
            try store.close()
        }
    }

    @Test func aPathWithNULIsRefused() {
        let error = #expect(throws: StoreError.self) {
            _ = try MemoryStore(journal: MemoryJournalConfiguration(path: "/tmp/a\0b"))
        }
        #expect(error?.code == .invalidArgument)
    }
}
