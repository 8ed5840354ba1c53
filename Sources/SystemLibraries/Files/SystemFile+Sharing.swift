package import Foundation

// Files that several users write, of which one at a time has the lock.

extension SystemFile {
    /// Opens and locks a file for writing; creates it if it does not exist.
    ///
    /// Another user may rename the file between the two steps; then the path is opened again.
    /// - Returns: nil while another user has the lock.
    /// - Throws: `POSIXError`, also on a file system that has no locks.
    package static func locked(_ path: String) throws(POSIXError) -> SystemFile? {
        while true {
            let file = try SystemFile(path, for: .creating)
            guard try file.lock() else { return nil }
            if let named = try? FileStatus(at: path), named.identity == file.status?.identity { return file }
            file.unlock()
        }
    }

    /// Renames this file durably, replacing another one: flushes its data, renames it, and flushes the folder.
    /// - Throws: `POSIXError`; it has its old name then.
    package func moveDurably(from path: String, to newPath: String) throws(POSIXError) {
        try synchronize()
        try Self.move(path, to: newPath)
        // Not all file systems can flush a folder.
        try? SystemFile(URL(filePath: newPath).deletingLastPathComponent().path, for: .reading).synchronize()
    }
}
