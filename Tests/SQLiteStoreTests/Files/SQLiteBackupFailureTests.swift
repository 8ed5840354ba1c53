import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Backups to destinations that cannot be written.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteBackupFailureTests: BackupTesting {
    @Test func `other files are not overwritten`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.memory, rows: 3)
            let path = folder.path("text")
            let text = Data("just a text".utf8)
            try text.write(to: URL(filePath: path))
            #expect(error { try source.backup(toFile: path) }?.code == .corrupt)
            #expect(try Data(contentsOf: URL(filePath: path)) == text)
            #expect(error { try source.backup(toFile: folder.path("nowhere/a")) }?.code == .io)
            #expect(error { try source.backup(toFile: "") }?.code == .invalidArgument)
            #expect(
                error { try source.backup(toFile: folder.path("b"), key: "secret") }?.code == .encryptionUnavailable)
            #expect(try folder.names == ["text"])
        }
    }

    @Test func `a read-only store is no destination`() throws {
        try withFolder { folder throws in
            try makeStore(.file(folder.path("a")), rows: 3).close()
            let source = try makeStore(.memory, rows: 5)
            for access in SQLiteAccessTests.accesses {
                var configuration = SQLiteStore.Configuration()
                configuration.access = access
                let destination = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
                #expect(error { try source.backup(to: destination) }?.code == .readOnly)
                #expect(try count(destination) == 3)
                // But a source.
                let copy = try SQLiteStore(.memory)
                try destination.backup(to: copy)
                #expect(try count(copy) == 3)
                try destination.close()
            }
        }
    }

    @Test(.needsSmallDisk) func `a full disk leaves the destination unchanged`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let (old, new) = (disk.folder.path("old"), disk.folder.path("new"))
        let source = try makeStore(.memory, rows: 2000)
        #expect(error { try source.backup(toFile: new) }?.code == .full)
        #expect(try disk.folder.names == [])
        let destination = try makeStore(.file(old), rows: 3)
        #expect(error { try source.backup(to: destination) }?.code == .full)
        #expect(try count(destination) == 3)
        try destination.close()
        #expect(error { try source.backup(toFile: old) }?.code == .full)
        let again = try SQLiteStore(.file(old))
        #expect(try count(again) == 3)
        #expect(try again.integrityProblems() == [])
    }

    @Test(.needsSmallDisk) func `a read-only folder is an error`() throws {
        let disk = try SmallDisk(megabytes: 1)
        try makeStore(.file(disk.folder.path("old")), rows: 3).close()
        try disk.makeReadOnly()
        let source = try makeStore(.memory, rows: 5)
        for name in ["old", "new"] {
            let refusal = error { try source.backup(toFile: disk.folder.path(name)) }
            #expect(refusal?.code == .io || refusal?.code == .readOnly)
            #expect(refusal?.message.contains(disk.folder.path(name)) == true)
        }
        #expect(try disk.folder.names == ["old"])
    }

    // What a killed process leaves is what is there in mid copy.
    @Test func `a new file has its name when it is complete`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.memory, rows: 20_000)
            let path = folder.path("new")
            var names: [[String]] = []
            try source.backup(toFile: path) { progress in
                if progress.completedPages < progress.totalPages { names.append((try? folder.names) ?? []) }
                return true
            }
            #expect(!names.isEmpty && names.allSatisfy { !$0.contains("new") && !$0.isEmpty }, "\(names)")
            #expect(try folder.names == ["new"])
            #expect(try count(SQLiteStore(.file(path))) == 20_000)
            let cancelled = folder.path("other")
            #expect(error { try source.backup(toFile: cancelled) { _ in false } }?.code == .interrupted)
            #expect(try folder.names.allSatisfy { !$0.hasPrefix("other") })
        }
    }

    @Test func `parts of processes that have ended are removed`() throws {
        try withFolder { folder throws in
            // Process identifiers end at 2^22.
            let (ended, own) = ("new.partial-99999999-1", "new.partial-\(ProcessInfo.processInfo.processIdentifier)-0")
            for name in [ended, ended + "-journal", own] {
                try Data("x".utf8).write(to: URL(filePath: folder.path(name)))
            }
            try makeStore(.memory, rows: 3).backup(toFile: folder.path("new"))
            #expect(try folder.names.sorted() == ["new", own])
        }
    }

    @Test func `a new file does not get the log of a deleted database`() throws {
        try withFolder { folder throws in
            let path = folder.path("new")
            let deleted = try makeStore(.file(path), rows: 5)
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            #expect(!log.isEmpty)
            try deleted.close()
            try FileManager.default.removeItem(atPath: path)
            for suffix in ["-wal", "-shm", "-journal"] { try log.write(to: URL(filePath: path + suffix)) }
            try makeStore(.memory, rows: 3).backup(toFile: path)
            #expect(try folder.names == ["new"])
            #expect(try count(SQLiteStore(.file(path))) == 3)
        }
    }

    @Test func `a database that is created meanwhile keeps its log`() throws {
        try withFolder { folder throws in
            let path = folder.path("new")
            var created: SQLiteStore?
            let failure = error {
                try makeStore(.memory, rows: 3).backup(toFile: path) { _ in
                    if created == nil { created = try? makeStore(.file(path), rows: 5) }
                    return true
                }
            }
            #expect(failure?.code == .io && failure?.message.contains(path) == true)
            let names = try folder.names
            #expect(names.contains("new-wal") && !names.contains { $0.contains("partial") })
            let store = try #require(created)
            #expect(try count(store) == 5)
            try store.close()
            #expect(try count(SQLiteStore(.file(path))) == 5)
        }
    }

    @Test func `a log that cannot be removed is named`() throws {
        try withFolder { folder throws in
            let log = folder.path("new-wal")
            try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
            let failure = try #require(error { try makeStore(.memory, rows: 3).backup(toFile: folder.path("new")) })
            #expect(failure.code == .io && failure.message.contains(log), "\(failure)")
            #expect(try folder.names == ["new-wal"])
        }
    }

    @Test func `copies have the permissions of the store's file`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.file(folder.path("a")), rows: 3)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("a"))
            try source.backup(toFile: folder.path("b"))
            try source.vacuum(into: folder.path("c"))
            for name in ["b", "c"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
            }
        }
    }

    // A file whose first page was not written when the process was killed, and its journal: it was empty before.
    @Test func `SQLite rolls a killed transaction back before the file is judged`() throws {
        try withFolder { folder throws in
            try makeStore(.file(folder.path("a")), rows: 3).close()
            let path = folder.path("a")
            let pages = try Data(contentsOf: URL(filePath: path))
            let pageSize = 4096
            // The header of a rollback journal (sqlite.org/fileformat2.html, section 3), and all pages.
            var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
            func append(_ number: UInt32) { withUnsafeBytes(of: number.bigEndian) { journal.append(contentsOf: $0) } }
            let count = pages.count / pageSize
            for number in [UInt32(count), 0, UInt32(count), 512, UInt32(pageSize)] { append(number) }
            journal += Data(count: 512 - journal.count)
            for page in 0..<count {
                let content = [UInt8](pages[page * pageSize..<(page + 1) * pageSize])
                append(UInt32(page + 1))
                journal += content
                // Every 200th byte, from the end of the page.
                let sum = stride(from: pageSize - 200, to: 0, by: -200).reduce(UInt32(0)) { $0 &+ UInt32(content[$1]) }
                append(sum)
            }
            try journal.write(to: URL(filePath: path + "-journal"))
            try (Data(count: pageSize) + pages.dropFirst(pageSize)).write(to: URL(filePath: path))
            try makeStore(.memory, rows: 5).backup(toFile: path)
            #expect(try self.count(SQLiteStore(.file(path))) == 5)
        }
    }

    @Test func `libraries without backup are reported when it is used`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.without(["sqlite3_backup_init"])
        let source = try makeStore(.memory, rows: 3)
        let destination = try makeStore(.memory, rows: 2, configuration)
        let missing = error { try source.backup(to: destination) }
        #expect(missing?.code == .libraryMissing)
        #expect(missing?.message.contains("sqlite3_backup_init") == true)
        #expect(try count(destination) == 2)
    }
}
