import Foundation
import StoreCore
import SystemLibraries

/// Database file: path, kind and quarantine.
struct SQLiteFile {
    let path: String

    /// Kind of a file, from its size and first bytes.
    enum Kind {
        /// Empty file.
        case none
        /// Unencrypted database (sqlite.org/fileformat2.html, section 1.3).
        case plain
        /// Possibly an encrypted database: whole 512-byte blocks, and not an unencrypted header.
        case encrypted
        /// Anything else.
        case other

        static let headerSize = 16

        /// - Parameter header: the first ``headerSize`` bytes, or all bytes of a shorter file.
        init(size: Int64, header: [UInt8]) {
            if size == 0 {
                self = .none
            } else if header == Array("SQLite format 3\0".utf8) {
                self = .plain
            } else {
                self = size.isMultiple(of: 512) && header.contains { $0 != 0 } ? .encrypted : .other
            }
        }
    }

    /// - Throws: `StoreError` (`invalidArgument`) when the path is empty or contains NUL.
    init(_ path: String) throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "Invalid store path: it is empty or contains NUL.")
        }
        // Absolute, since SQLite treats names such as `:memory:` and `file:` specially.
        self.path = URL(fileURLWithPath: path).path
    }

    /// The name under which SQLite opens it without locks and logs (sqlite.org/uri.html).
    var immutableURI: String {
        let unreserved = { (byte: UInt8) in
            (48...57).contains(byte) || (97...122).contains(byte | 0x20) || "/-_.~".utf8.contains(byte)
        }
        let digits = Array("0123456789ABCDEF".utf8)
        let escaped = path.utf8.flatMap { byte in
            unreserved(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "file:\(String(decoding: escaped, as: UTF8.self))?immutable=1"
    }

    /// Checks that the file can be opened without writing.
    /// - Throws: `StoreError` (`io`) when it is missing, or is to be immutable and has a log with changes.
    func checkReadOnly(_ access: SQLiteStore.Access) throws(StoreError) {
        guard exists else {
            throw StoreError(
                .io, "Database file not found: \(path); check the path, or use `Access.readWrite` to create it.")
        }
        guard access == .immutable else { return }
        // SQLite looks beside the target of a symbolic link.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        for log in [path + "-wal", path + "-journal"] where Self.size(of: log) > 0 {
            throw StoreError(
                .io,
                "Immutable database has a log with changes: \(log); open it once with `Access.readWrite` to apply them."
            )
        }
    }

    /// True if SQLite may have to roll a transaction back, because its process was killed.
    static func hasJournal(_ path: String) -> Bool { size(of: path + "-journal") > 0 }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Creates the file, empty, unless something has its name.
    /// - Returns: true if this call has created it.
    /// - Throws: `StoreError`: `io`, or `full`.
    func create(mode: UInt16 = 0o644) throws(StoreError) -> Bool {
        do throws(POSIXError) {
            _ = try SystemFile(path, for: .creatingNew, mode: mode)
            return true
        } catch {
            switch error.code {
            case .EEXIST: return false
            case .ENOSPC, .EDQUOT: throw StoreError(.full, "Cannot create the file \(path): the disk is full.")
            default:
                throw StoreError(
                    .io,
                    "Cannot create the file \(path): \(String(cString: strerror(error.code.rawValue))); "
                        + "check its folder and the folder's permissions.")
            }
        }
    }

    /// The size in bytes; 0 without a file.
    var size: Int { Self.size(of: path) }

    /// Removes the file with its logs.
    func remove() {
        for suffix in ["-shm", "-wal", "-journal", ""] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private static func size(of path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Renames the file, its log and its journal to `<path>.corrupt-<number>`.
    /// - Parameter connection: a connection that has opened the file but not read it.
    /// - Returns: the new path.
    /// - Throws: `StoreError`: `busy` when another connection uses the file; `io`.
    func quarantine(with connection: borrowing SQLiteConnection) throws(StoreError) -> String {
        // A connection in WAL mode holds a shared lock as long as it is open, so this detects other users.
        let code = connection.lockFile()
        guard code == SQLiteConstant.ok else {
            let isBusy = code & 0xFF == SQLiteConstant.busy
            throw StoreError(
                isBusy ? .busy : .io,
                "Cannot quarantine the corrupt file \(path): "
                    + (isBusy
                        ? "another connection or program has it open; close it first."
                        : "it cannot be locked; check its permissions."),
                engineCode: code)
        }
        defer { connection.unlockFile() }
        let files = FileManager.default
        // The target of a symbolic link: the log is beside it.
        let isLink = (try? files.destinationOfSymbolicLink(atPath: path)) != nil
        let path = isLink ? connection.fileName ?? path : path
        var number = 1
        while files.fileExists(atPath: "\(path).corrupt-\(number)") { number += 1 }
        let newPath = "\(path).corrupt-\(number)"
        do {
            // The database last: if it were renamed first and the log remained, a new database would replay that log.
            for suffix in ["-shm", "-wal", "-journal", ""] where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: newPath + suffix)
            }
        } catch {
            throw StoreError(
                .io, "Cannot quarantine the corrupt file \(path): rename failed; check the permissions of its folder.")
        }
        return newPath
    }
}

extension SQLiteConnection {
    /// The path that SQLite opened, with symbolic links resolved; nil for an in-memory database.
    var fileName: String? { Self.fileName(of: database, functions) }

    static func fileName(of database: OpaquePointer?, _ functions: SQLiteFunctions) -> String? {
        guard let name = functions.fileName(database, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Determines the kind of the file from its header.
    func fileKind() throws(StoreError) -> SQLiteFile.Kind {
        guard let file = SQLiteOpenFile(of: database, functions) else { return .none }
        let (code, size) = file.size()
        guard code == SQLiteConstant.ok else { throw failure(code) }
        var header = [UInt8](repeating: 0, count: Int(min(max(size, 0), Int64(SQLiteFile.Kind.headerSize))))
        let reading = header.withUnsafeMutableBytes { $0.isEmpty ? SQLiteConstant.ok : file.readStart(into: $0) }
        guard reading == SQLiteConstant.ok else { throw failure(reading) }
        return SQLiteFile.Kind(size: size, header: header)
    }

    /// Locks the file exclusively against all other connections, in any process, without waiting.
    /// - Returns: the SQLite result code.
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
