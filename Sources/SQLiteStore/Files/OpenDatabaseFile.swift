import StoreCore
import Synchronization
import SystemLibraries

/// Registration of an open database file in a process-wide table; removed with its last reference.
///
/// A process must open a file under one name and with one copy of SQLite at a time. SQLite names the write-ahead log
/// after the file, so two hard links would have two logs; and a copy of the library that closes a file drops the POSIX
/// locks of all other copies (sqlite.org/howtocorrupt.html, sections 2.2 and 2.5). Several connections of one library
/// under one name are safe.
final class OpenDatabaseFile: Sendable {
    private struct Entry {
        let library: UInt
        let name: String
        var connections = 0
    }

    private static let table = Mutex<[FileStatus.Identity: Entry]>([:])

    let identity: FileStatus.Identity

    private init(_ identity: FileStatus.Identity) { self.identity = identity }

    deinit {
        Self.table.withLock { table in
            table[identity]?.connections -= 1
            if table[identity]?.connections == 0 { table[identity] = nil }
        }
    }

    /// Opens a connection to a file and registers it.
    /// - Throws: `StoreError`: `busy` when the file is open under another name or with another library; what `body`
    ///   throws.
    static func open(
        _ path: String, _ functions: SQLiteFunctions, _ body: () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) -> SQLiteConnection {
        let library = UInt(bitPattern: unsafeBitCast(functions.open, to: Int.self))
        // Checked before opening: opening and closing alone would drop the other copy's locks.
        if let identity = (try? FileStatus(at: path))?.identity, let other = table.withLock({ $0[identity] }),
            other.library != library
        {
            throw StoreError(
                .busy, "Database is open with another copy of the SQLite library: \(path); close that store first.")
        }
        var connection = try body()
        guard let status = try? FileStatus(at: path), let name = connection.fileName else { return connection }
        let identity = status.identity
        let other: Entry? = table.withLock { table in
            if let entry = table[identity], status.linkCount > 1, entry.name != name { return entry }
            table[identity, default: Entry(library: library, name: name)].connections += 1
            return nil
        }
        guard other == nil else {
            throw StoreError(
                .busy,
                "Database is open under another hard link: \(path); use the name it was opened with.")
        }
        connection.openFile = OpenDatabaseFile(identity)
        return connection
    }
}
