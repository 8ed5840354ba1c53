import Foundation
import Synchronization
import SystemLibraries

/// An entry in the table of the database files that this process has open; it goes with the last reference to it.
///
/// A file must be open under one name and by one copy of SQLite at a time. SQLite names the log after the file, so two
/// hard links would have two logs; and each copy of the library, on closing, drops the POSIX locks of all others
/// (sqlite.org/howtocorrupt.html, sections 2.2 and 2.5). Two connections of one library to one name are safe.
final class OpenDatabaseFile: Sendable {
    /// A file, whatever its name is.
    struct Identity: Hashable, Sendable {
        private let device: UInt64
        private let node: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            node = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private struct Entry {
        let library: UInt
        let name: String
        var connections = 0
    }

    private static let table = Mutex<[Identity: Entry]>([:])

    let identity: Identity

    private init(_ identity: Identity) { self.identity = identity }

    deinit {
        Self.table.withLock { table in
            table[identity]?.connections -= 1
            if table[identity]?.connections == 0 { table[identity] = nil }
        }
    }

    /// Opens a connection to a file, and enters it.
    /// - Throws: `StoreError`: `busy` when the file is open under another name or by another library; what `body`
    ///   throws.
    static func open(
        _ path: String, _ functions: SQLiteFunctions, _ body: () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) -> SQLiteConnection {
        let library = UInt(bitPattern: unsafeBitCast(functions.open, to: Int.self))
        // Another copy must not even open and close the file.
        if let status = status(path), let other = table.withLock({ $0[Identity(status)] }), other.library != library {
            throw StoreError(
                .busy, "\(path) is open in this process with another copy of the SQLite library. Close that one first.")
        }
        var connection = try body()
        guard let status = status(path), let name = connection.fileName else { return connection }
        let identity = Identity(status)
        let other: Entry? = table.withLock { table in
            if let entry = table[identity], status.st_nlink > 1, entry.name != name { return entry }
            table[identity, default: Entry(library: library, name: name)].connections += 1
            return nil
        }
        guard other == nil else {
            throw StoreError(
                .busy,
                "\(path) is a hard link to a file that is open in this process under another name; use that name.")
        }
        connection.openFile = OpenDatabaseFile(identity)
        return connection
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
