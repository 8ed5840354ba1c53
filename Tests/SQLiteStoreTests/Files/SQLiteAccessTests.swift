import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import Synchronization
import SystemLibraries
import TestSupport
import Testing

/// Stores that only read.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteAccessTests {
    static let accesses: [SQLiteStore.Access] = [.readOnly, .immutable]

    private func configuration(
        _ access: SQLiteStore.Access, _ library: SQLiteLibrary = .system
    ) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.access = access
        configuration.library = library
        return configuration
    }

    /// Runs a test with the path of a closed store that has one row.
    private func withFile(
        name: String = "store.sqlite", _ body: (TemporaryFolder, String) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Not a URL, in which some of the characters would have to be escaped.
        let path = folder.url.path + "/" + name
        try makeFile(path)
        try body(folder, path)
    }

    private func makeFile(_ path: String, _ library: SQLiteLibrary = .system) throws {
        let store = try SQLiteStore(.file(path), configuration: configuration(.readWrite, library))
        try store.createTable(StoreConformance.jacks)
        try store.upsert(try RowBatch(["id", "label"], [[1, "kept"]]), into: "jack")
        try store.close()
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    @Test(arguments: accesses) func `read-only stores read, and refuse every write`(access: SQLiteStore.Access) throws {
        try withFile { _, path throws in
            let content = try Data(contentsOf: URL(filePath: path))
            let store = try SQLiteStore(.file(path), configuration: configuration(access))
            let batch = try RowBatch(["id", "label"], [[2, "new"]])
            let writes: [() throws -> Void] = [
                { try store.execute("INSERT INTO jack (id) VALUES (2)") },
                { _ = try store.rows("DELETE FROM jack") },
                { try store.execute("PRAGMA user_version = 5") },
                { try store.createTable(try TableSchema("plug", columns: [.init("id", "INTEGER")])) },
                { try store.upsert(batch, into: "jack") },
                { try store.delete(try RowBatch(["id"], [[1]]), from: "jack") },
                { _ = try store.transaction { try store.execute("UPDATE jack SET label = 'x'") } },
                { try store.vacuum() },
            ]
            for write in writes {
                let refusal = error(write)
                #expect(refusal?.code == .readOnly)
                #expect(refusal?.message.contains("Configuration.access") == true)
            }
            #expect(try store.rows("SELECT id, label FROM jack") == [[1, "kept"]])
            #expect(try store.transaction { try store.jackIDs() } == [1])
            // Reads may be nested, so there are several connections.
            try store.query("SELECT 1") { _ throws in
                #expect(try store.jackIDs() == [1])
                return true
            }
            #expect(try store.integrityProblems() == [])
            try store.close()
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    @Test(arguments: accesses) func `a missing file is not created`(access: SQLiteStore.Access) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let missing = error { _ = try SQLiteStore(.file(path), configuration: configuration(access)) }
        #expect(missing?.code == .io)
        #expect(missing?.message.contains("not found: \(path);") == true)
        #expect(try folder.names == [])
    }

    @Test(arguments: accesses) func `a store in memory cannot be read-only`(access: SQLiteStore.Access) {
        #expect(error { _ = try SQLiteStore(.memory, configuration: configuration(access)) }?.code == .invalidArgument)
    }

    @Test(arguments: accesses)
    func `a corrupt file is not quarantined by a reader`(access: SQLiteStore.Access) throws {
        try withFile { folder, path throws in
            var content = try Data(contentsOf: URL(filePath: path))
            content.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
            try content.write(to: URL(filePath: path))
            var configuration = configuration(access)
            configuration.corruptionPolicy = .quarantine
            #expect(error { _ = try SQLiteStore(.file(path), configuration: configuration) }?.code == .corrupt)
            #expect(try folder.names.allSatisfy { !$0.contains("corrupt") })
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    @Test func `a read-only store sees the commits of another one`() throws {
        try withFile { _, path throws in
            let reader = try SQLiteStore(.file(path), configuration: configuration(.readOnly))
            let writer = try SQLiteStore(.file(path))
            try writer.execute("INSERT INTO jack (id) VALUES (2)")
            #expect(try reader.jackIDs() == [1, 2])
            try writer.close()
            try reader.close()
        }
    }

    // MARK: Immutable files

    @Test(arguments: ["store.sqlite", "a b%3F?#&=é.sqlite", "file:x?mode=memory"])
    func `an immutable file gets no log`(name: String) throws {
        try withFile(name: name) { folder, path throws in
            let store = try SQLiteStore(.file(path), configuration: configuration(.immutable))
            #expect(try store.jackIDs() == [1])
            #expect(try folder.names == [name])
            try store.close()
            #expect(try folder.names == [name])
        }
    }

    @Test(arguments: [true, false]) func `an immutable file must have no log with changes`(isLink: Bool) throws {
        try withFile { folder, path throws in
            let writer = try SQLiteStore(.file(path))
            try writer.execute("INSERT INTO jack (id) VALUES (2)")
            var name = path
            if isLink {
                name = folder.path("link.sqlite")
                try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: path)
            }
            let refusal = error { _ = try SQLiteStore(.file(name), configuration: configuration(.immutable)) }
            #expect(refusal?.code == .io)
            #expect(refusal?.message.contains("store.sqlite-wal") == true)
            try writer.close()
            let store = try SQLiteStore(.file(name), configuration: configuration(.immutable))
            #expect(try store.jackIDs() == [1, 2])
        }
    }

    // MARK: A folder without write access

    /// Runs `body` on a thread that may write only what every user may; nil if the system has no such threads.
    private func asOtherUser(_ body: @escaping @Sendable () -> Void) -> Bool {
        typealias SetUser = @convention(c) (UInt32) -> CInt
        guard let setUser = try? DynamicLibrary("libc.so.6").function("setfsuid", as: SetUser.self) else {
            return false
        }
        // Of the thread alone, which ends then.
        let hasEnded = onThread {
            _ = setUser(65_534)
            body()
        }
        return hasEnded()
    }

    enum Leftover: CaseIterable { case none, log, journal }

    #if os(Linux)
        @Test(arguments: Leftover.allCases)
        func `a folder without write access is named as the cause`(leftover: Leftover) throws {
            try withFile { folder, path throws in
                switch leftover {
                case .none: break
                case .log:
                    let writer = try SQLiteStore(.file(path))
                    try writer.execute("INSERT INTO jack (id) VALUES (2)")
                    let names = ["store.sqlite", "store.sqlite-wal"]
                    let contents = try names.map { try Data(contentsOf: folder.url.appending(path: $0)) }
                    try writer.close()
                    for (name, content) in zip(names, contents) {
                        try content.write(to: folder.url.appending(path: name))
                    }
                case .journal:
                    // The header of a journal, and a page.
                    let header: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, 1]
                    try (Data(header) + Data(count: 600)).write(to: URL(filePath: path + "-journal"))
                }
                let files = FileManager.default
                for name in try folder.names {
                    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path(name))
                }
                try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
                defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path) }
                let configurations = [configuration(.readOnly), SQLiteStore.Configuration()]
                let refusals = Mutex<[StoreError]>([])
                let hasRun = asOtherUser {
                    for configuration in configurations {
                        do { _ = try SQLiteStore(.file(path), configuration: configuration) } catch let error
                            as StoreError
                        {
                            refusals.withLock { $0.append(error) }
                        } catch {}
                    }
                }
                try #require(hasRun)
                let errors = refusals.withLock { $0 }
                try #require(errors.count == 2)
                #expect(errors[0].code == .io && errors[0].message.contains(path), "\(errors[0])")
                let cause = leftover == .journal ? "rolled back" : "folder is not writable"
                #expect(errors[0].message.contains(cause), "\(errors[0])")
                if leftover == .none {
                    #expect(
                        errors[1].code == .readOnly && errors[1].message.contains("folder writable"), "\(errors[1])")
                }
            }
        }
    #endif

    // MARK: A read-only disk

    @Test(.needsSmallDisk) func `a database in WAL mode on a read-only disk opens as immutable`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let path = disk.folder.path("store.sqlite")
        try makeFile(path)
        try disk.makeReadOnly()
        let refusal = error { _ = try SQLiteStore(.file(path), configuration: configuration(.readOnly)) }
        #expect(refusal?.code == .io)
        #expect(refusal?.message.contains("Access.immutable") == true)
        #expect(error { _ = try SQLiteStore(.file(path)) }?.code == .io)
        let store = try SQLiteStore(.file(path), configuration: configuration(.immutable))
        #expect(try store.rows("SELECT id, label FROM jack") == [[1, "kept"]])
        #expect(error { try store.execute("DELETE FROM jack") }?.code == .readOnly)
        try store.close()
        #expect(try disk.folder.names == ["store.sqlite"])
    }

    @Test(.needsSmallDisk, arguments: accesses)
    func `a database without WAL opens on a read-only disk`(access: SQLiteStore.Access) throws {
        let disk = try SmallDisk(megabytes: 1)
        let path = disk.folder.path("store.sqlite")
        try makeFile(path, FakeSQLite.withoutWAL())
        try disk.makeReadOnly()
        let store = try SQLiteStore(.file(path), configuration: configuration(access))
        #expect(try store.jackIDs() == [1])
        #expect(error { try store.execute("DELETE FROM jack") }?.code == .readOnly)
        try store.close()
        #expect(try disk.folder.names == ["store.sqlite"])
    }
}
