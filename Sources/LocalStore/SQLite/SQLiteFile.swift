import Foundation
import SystemLibraries

/// The file of a database.
struct SQLiteFile {
    let path: String

    /// What the file's first bytes say that it is.
    enum Kind {
        /// There is nothing in it.
        case none
        /// A database that is not encrypted (sqlite.org/fileformat2.html, section 1.3).
        case plain
        /// It may be an encrypted database: it has whole pages of what looks like nothing.
        case encrypted
        /// Something else.
        case other

        static let headCount = 16

        /// - Parameter head: as many of the first ``headCount`` bytes as there are.
        init(size: Int64, head: [UInt8]) {
            if size == 0 {
                self = .none
            } else if head == Array("SQLite format 3\0".utf8) {
                self = .plain
            } else {
                self = size.isMultiple(of: 512) && head.contains { $0 != 0 } ? .encrypted : .other
            }
        }
    }

    /// - Throws: `StoreError` (`invalidArgument`) when the path is empty or holds NUL.
    init(_ path: String) throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "The path of a store is empty or holds NUL.")
        }
        // Whole, since SQLite gives a meaning of its own to names such as `:memory:` and `file:`.
        self.path = URL(fileURLWithPath: path).path
    }

    /// Moves the file aside, with what SQLite keeps beside it.
    /// - Parameter connection: has the file open, and has not read it.
    /// - Returns: the new path.
    /// - Throws: `StoreError`: `busy` when another connection uses the file; `io`.
    func quarantine(with connection: borrowing SQLiteConnection) throws(StoreError) -> String {
        // A connection with a write-ahead log holds a shared lock for as long as it lives.
        let code = connection.lockFile()
        guard code == SQLiteConstant.ok else {
            let isBusy = code & 0xFF == SQLiteConstant.busy
            throw StoreError(
                isBusy ? .busy : .io,
                "The damaged file \(path) cannot be moved aside: "
                    + (isBusy ? "another connection or program has it open. Close that one first." : "no lock on it."),
                engineCode: code)
        }
        defer { connection.unlockFile() }
        let files = FileManager.default
        // What a symbolic link points to: there the log is too.
        let isLink = (try? files.destinationOfSymbolicLink(atPath: path)) != nil
        let path = isLink ? connection.fileName ?? path : path
        var number = 1
        while files.fileExists(atPath: "\(path).corrupt-\(number)") { number += 1 }
        let newPath = "\(path).corrupt-\(number)"
        do {
            // The database last: were it gone and its log left, a new database would take the log for its own.
            for suffix in ["-shm", "-wal", "-journal", ""] where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: newPath + suffix)
            }
        } catch {
            throw StoreError(
                .io, "The damaged file \(path) cannot be renamed; check the permissions of its folder.")
        }
        return newPath
    }
}

extension SQLiteConnection {
    /// The path that SQLite opened, with symbolic links resolved; nil in memory.
    var fileName: String? { Self.fileName(of: database, functions) }

    static func fileName(of database: OpaquePointer?, _ functions: SQLiteFunctions) -> String? {
        guard let name = functions.fileName(database, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Looks at the start of the file.
    func fileKind() throws(StoreError) -> SQLiteFile.Kind {
        guard let file = SQLiteOpenFile(of: database, functions) else { return .none }
        let (code, size) = file.size()
        guard code == SQLiteConstant.ok else { throw failure(code) }
        var head = [UInt8](repeating: 0, count: Int(min(max(size, 0), Int64(SQLiteFile.Kind.headCount))))
        let reading = head.withUnsafeMutableBytes { $0.isEmpty ? SQLiteConstant.ok : file.readStart(into: $0) }
        guard reading == SQLiteConstant.ok else { throw failure(reading) }
        return SQLiteFile.Kind(size: size, head: head)
    }

    /// Locks the file against every other connection, of this process and of others. It does not wait.
    /// - Returns: SQLite's code.
    fileprivate func lockFile() -> CInt {
        guard let file = SQLiteOpenFile(of: database, functions) else { return SQLiteConstant.cannotOpen }
        let code = file.lock(.shared)
        guard code == SQLiteConstant.ok else { return code }
        let locked = file.lock(.exclusive)
        if locked != SQLiteConstant.ok { file.unlock(to: .none) }
        return locked
    }

    fileprivate func unlockFile() { SQLiteOpenFile(of: database, functions)?.unlock(to: .none) }
}
