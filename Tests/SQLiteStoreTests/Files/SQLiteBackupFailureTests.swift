import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import LocalStore
@testable import SQLiteStore

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
