import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// A file opened several times: in one process, under several names, and in several processes.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteSharedFileTests {
    private static let table = "CREATE TABLE jack (id INTEGER PRIMARY KEY)"

    private func withFolder(_ body: (TemporaryFolder, String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder, folder.path("store.sqlite"))
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func insertElsewhere(_ key: Int, _ path: String) throws -> String {
        try DeltaWriter("insert", path, rows: key).output().trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Locks

    @Test(.enabled(if: DeltaWriter.exists, "delta-writer is not built"))
    func `a second store keeps the first one's log from being removed by another process`() throws {
        try withFolder { folder, path throws in
            let first = try SQLiteStore(.file(path))
            try first.execute(Self.table, [])
            try first.execute("INSERT INTO jack VALUES (1)")
            let second = try SQLiteStore(.file(path))
            // The last connection to close removes the log; the other process must not believe it is the last.
            #expect(try insertElsewhere(2, path) == "1 2")
            #expect(try folder.names == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            try first.execute("INSERT INTO jack VALUES (3)")
            #expect(try insertElsewhere(4, path) == "1 2 3 4")
            #expect(try second.jackIDs() == [1, 2, 3, 4])
            #expect(try second.integrityProblems() == [])
            try second.close()
            #expect(try insertElsewhere(5, path) == "1 2 3 4 5")
            #expect(try first.jackIDs() == [1, 2, 3, 4, 5])
            try first.close()
            #expect(try folder.names == ["store.sqlite"])
        }
    }

    @Test(.enabled(if: DeltaWriter.exists, "delta-writer is not built"))
    func `a second store keeps the first one's transaction locked against another process`() throws {
        try withFolder { _, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.library = try FakeSQLite.withoutWAL()
            let first = try SQLiteStore(.file(path), configuration: configuration)
            try first.execute(Self.table, [])
            try first.transaction {
                try first.execute("INSERT INTO jack VALUES (1)")
                let second = try SQLiteStore(.file(path), configuration: configuration)
                #expect(try insertElsewhere(2, path) == "busy")
                try second.close()
                #expect(try insertElsewhere(2, path) == "busy")
            }
            try first.close()
            #expect(try insertElsewhere(2, path) == "1 2")
        }
    }

    // MARK: Names

    @Test func `every path to a file opens the same database`() throws {
        try withFolder { folder, path throws in
            let link = folder.path("link.sqlite")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            let first = try SQLiteStore(.file(path))
            try first.execute(Self.table, [])
            let paths = [link, folder.url.path + "/./store.sqlite", folder.url.path + "//store.sqlite"]
            let others = try paths.map { try SQLiteStore(.file($0)) }
            for (key, store) in others.enumerated() {
                try store.execute("INSERT INTO jack VALUES (?)", [.integer(Int64(key))])
            }
            #expect(try first.jackIDs() == [0, 1, 2])
            #expect(try folder.names == ["link.sqlite", "store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            for store in others + [first] { try store.close() }
            #expect(try folder.names == ["link.sqlite", "store.sqlite"])
        }
    }

    @Test func `a hard link to an open file is rejected`() throws {
        try withFolder { folder, path throws in
            let first = try SQLiteStore(.file(path))
            try first.execute(Self.table, [])
            let link = folder.path("hard.sqlite")
            try FileManager.default.linkItem(atPath: path, toPath: link)
            let refusal = error { _ = try SQLiteStore(.file(link)) }
            #expect(refusal?.code == .busy)
            #expect(refusal?.message.contains(link) == true)
            // Opening it again under the first name works.
            try SQLiteStore(.file(path)).close()
            try first.close()
            #expect(try folder.names == ["hard.sqlite", "store.sqlite"])
            let renamed = try SQLiteStore(.file(link))
            #expect(try renamed.tableNames() == ["jack"])
            try renamed.close()
        }
    }

    /// Path of the system's SQLite library.
    private static let systemLibrary: String? = {
        guard SQLiteLibrary.system.isAvailable,
            let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        else { return nil }
        let lines = maps.split(separator: "\n").filter { $0.contains("/libsqlite3.so") }
        return lines.first.flatMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    }()

    @Test(.enabled(if: systemLibrary != nil, "The system's SQLite is not a file that can be copied."))
    func `another copy of the library cannot open an open file`() throws {
        try withFolder { folder, path throws in
            let first = try SQLiteStore(.file(path))
            try first.execute(Self.table, [])
            let copy = folder.path("libsqlite3-copy.so")
            try FileManager.default.copyItem(atPath: #require(Self.systemLibrary), toPath: copy)
            var configuration = SQLiteStore.Configuration()
            configuration.library = SQLiteLibrary(loading: copy)
            let refusal = error { _ = try SQLiteStore(.file(path), configuration: configuration) }
            #expect(refusal?.code == .busy)
            #expect(refusal?.message.contains(path) == true)
            try first.close()
            let second = try SQLiteStore(.file(path), configuration: configuration)
            #expect(try second.tableNames() == ["jack"])
            #expect(error { _ = try SQLiteStore(.file(path)) }?.code == .busy)
            try second.close()
            try SQLiteStore(.file(path)).close()
        }
    }

    @Test func `a reader does not read a file that took the place of the store's`() throws {
        try withFolder { folder, path throws in
            let store = try SQLiteStore(.file(path))
            try store.execute(Self.table, [])
            let other = try SQLiteStore(.file(folder.path("other.sqlite")))
            try other.execute(Self.table, [])
            try other.execute("INSERT INTO jack VALUES (1)")
            try other.close()
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.moveItem(atPath: folder.path("other.sqlite"), toPath: path)
            let refusal = error { _ = try store.jackIDs() }
            #expect(refusal?.code == .io)
            #expect(refusal?.message.contains(path) == true)
        }
    }

    // MARK: Leftover files

    @Test func `a corrupt file in use is not quarantined`() throws {
        try withFolder { folder, path throws in
            let first = try SQLiteStore(.file(path))
            try first.execute(Self.table, [])
            var configuration = SQLiteStore.Configuration()
            configuration.corruptionPolicy = .quarantine
            configuration.verifiesIntegrityOnOpen = true
            configuration.library = try FakeSQLite.reportingCorruption()
            let refusal = error { _ = try SQLiteStore(.file(path), configuration: configuration) }
            #expect(refusal?.code == .busy)
            #expect(refusal?.message.contains(path) == true)
            #expect(try folder.names == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            try first.execute("INSERT INTO jack VALUES (1)")
            try first.close()
            #expect(try folder.names == ["store.sqlite"])
            #expect(error { _ = try SQLiteStore(.file(path), configuration: configuration) }?.code == .corrupt)
            #expect(try folder.names == ["store.sqlite", "store.sqlite.corrupt-1"])
        }
    }

    @Test func `quarantine renames the target of a symbolic link`() throws {
        try withFolder { folder, path throws in
            try Data("not a database".utf8).write(to: URL(filePath: path))
            let link = folder.path("link.sqlite")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            var configuration = SQLiteStore.Configuration()
            configuration.corruptionPolicy = .quarantine
            let store = try SQLiteStore(.file(link), configuration: configuration)
            #expect(store.quarantinedFile?.hasSuffix("/store.sqlite.corrupt-1") == true)
            try store.close()
            #expect(try folder.names == ["link.sqlite", "store.sqlite", "store.sqlite.corrupt-1"])
            let aside = try Data(contentsOf: URL(filePath: #require(store.quarantinedFile)))
            #expect(aside == Data("not a database".utf8))
        }
    }

    enum Fault: CaseIterable { case text, damaged, encrypted, key, checked }

    @Test(arguments: Fault.allCases) func `failed opening leaves no file behind`(fault: Fault) throws {
        try withFolder { folder, path throws in
            let store = try SQLiteStore(.file(path))
            try store.execute(Self.table, [])
            let text = String(repeating: "x", count: 500)
            for id in Int64(0)..<100 { try store.execute("INSERT INTO jack VALUES (?)", [.integer(id)]) }
            try store.execute("CREATE TABLE long (a)")
            for _ in 0..<100 { try store.execute("INSERT INTO long VALUES (?)", [.text(text)]) }
            try store.close()
            var content = try Data(contentsOf: URL(filePath: path))
            switch fault {
            case .text: content = Data("just a text".utf8)
            case .damaged: content.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
            case .encrypted: content = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            case .key: break
            case .checked: content.replaceSubrange(16_384..<20_480, with: Data(repeating: 0xA5, count: 4096))
            }
            try content.write(to: URL(filePath: path))
            var configuration = SQLiteStore.Configuration()
            configuration.verifiesIntegrityOnOpen = fault == .checked
            let key: EncryptionKey = fault == .key ? "secret" : .unencrypted
            #expect(error { _ = try SQLiteStore(.file(path), key: key, configuration: configuration) } != nil)
            #expect(try folder.names == ["store.sqlite"])
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    @Test func `a released store leaves only its file`() throws {
        try withFolder { folder, path throws in
            do {
                let store = try SQLiteStore(.file(path))
                try store.execute(Self.table, [])
                #expect(try store.jackIDs() == [])
            }
            #expect(try folder.names == ["store.sqlite"])
        }
    }
}
