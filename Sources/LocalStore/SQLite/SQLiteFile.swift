import Foundation

/// The file of a database, looked at from outside.
struct SQLiteFile {
    let path: String

    /// What the file's first bytes say that it is.
    enum Kind {
        /// There is no file, or nothing in it.
        case none
        /// A database that is not encrypted (sqlite.org/fileformat2.html, section 1.3).
        case plain
        /// It may be an encrypted database: it has whole pages of what looks like nothing.
        case encrypted
        /// Something else.
        case other
    }

    /// - Throws: `StoreError` (`invalidArgument`) when the path is empty or holds NUL.
    init(_ path: String) throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "The path of a store is empty or holds NUL.")
        }
        // Whole, since SQLite gives a meaning of its own to names such as `:memory:` and `file:`.
        self.path = URL(fileURLWithPath: path).path
    }

    /// - Throws: `StoreError` (`io`) when there is a file that cannot be read.
    func kind() throws(StoreError) -> Kind {
        guard FileManager.default.fileExists(atPath: path) else { return .none }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Self.unreadable }
        defer { try? handle.close() }
        let head: Data
        let size: UInt64
        do {
            head = try handle.read(upToCount: 16) ?? Data()
            size = try handle.seekToEnd()
        } catch { throw Self.unreadable }
        if size == 0 { return .none }
        if head == Data("SQLite format 3\0".utf8) { return .plain }
        return size.isMultiple(of: 512) && head.contains { $0 != 0 } ? .encrypted : .other
    }

    /// Gives the file, and what SQLite keeps beside it, another name.
    /// - Returns: the new path.
    /// - Throws: `StoreError` (`io`).
    func setAside() throws(StoreError) -> String {
        let files = FileManager.default
        var number = 1
        while files.fileExists(atPath: "\(path).corrupt-\(number)") { number += 1 }
        let newPath = "\(path).corrupt-\(number)"
        do {
            // The database last: were it gone and its log left, a new database would take the log for its own.
            for suffix in ["-shm", "-wal", "-journal", ""] where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: newPath + suffix)
            }
        } catch {
            throw StoreError(.io, "The corrupt file cannot be renamed; its content was left as it is.")
        }
        return newPath
    }

    private static let unreadable = StoreError(.io, "The file of the store cannot be read.")
}
