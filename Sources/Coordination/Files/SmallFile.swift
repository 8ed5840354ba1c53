package import Foundation
import SystemLibraries

/// A small file that is written as a whole, by default for its owner only (mode 0600).
///
/// A kill leaves the old or the new content. New content goes to a file beside it, `.NAME.new`, which is flushed to the
/// disk and renamed; then the folder is flushed. That name is fixed, so a kill leaves at most one such file; the next
/// call of any method deletes it. A lock of the folder (flock(2)) keeps writers apart, also those of other processes.
package struct SmallFile: Sendable {
    private let path: String
    private let temporaryPath: String
    private let folderPath: String
    private let mode: UInt16

    /// Describes a file, which need not exist; its folder must.
    /// - Parameter mode: of a written file, less the process's mask.
    package init(_ url: URL, mode: UInt16 = 0o600) {
        self.mode = mode
        let folder = url.deletingLastPathComponent()
        path = url.path
        folderPath = folder.path
        temporaryPath = folder.appending(path: ".\(url.lastPathComponent).new").path
    }

    /// Reads the content; nil if there is no file.
    /// - Throws: `POSIXError`.
    package func read() throws(POSIXError) -> Data? {
        removeRest()
        return try content()
    }

    /// Replaces the content.
    /// - Throws: `POSIXError`; the old content remains then.
    package func replace(with data: Data) throws(POSIXError) { _ = try change(to: data) { true } }

    /// Deletes the file, if it exists.
    /// - Throws: `POSIXError`.
    package func remove() throws(POSIXError) { _ = try change(to: nil) { true } }

    /// Replaces the content if a condition holds for the one of this moment; no other writer changes it meanwhile.
    /// - Parameter condition: gets the content, nil without a file.
    /// - Returns: whether it was replaced.
    /// - Throws: `POSIXError`; the old content remains then.
    package func replace(with data: Data?, if condition: (Data?) -> Bool) throws(POSIXError) -> Bool {
        try change(to: data) { () throws(POSIXError) in condition(try content()) }
    }

    private func content() throws(POSIXError) -> Data? {
        do throws(POSIXError) {
            let file = try SystemFile(path, for: .reading)
            guard let status = file.status else { throw POSIXError(.EIO) }
            return try file.read(Int(status.size), at: 0)
        } catch {
            guard error.code == .ENOENT else { throw error }
            return nil
        }
    }

    /// Changes the file with the folder locked, and without what a kill has left.
    private func change(to data: Data?, if condition: () throws(POSIXError) -> Bool) throws(POSIXError) -> Bool {
        let folder: SystemFile
        do throws(POSIXError) {
            folder = try SystemFile(folderPath, for: .reading)
        } catch {
            // Without a folder there is nothing to delete.
            guard data == nil, error.code == .ENOENT else { throw error }
            return try condition()
        }
        folder.waitForLock()
        defer { folder.unlock() }
        SystemFile.delete(temporaryPath)
        guard try condition() else { return false }
        if let data { try write(data) } else { try SystemFile.remove(path) }
        // Not all file systems can flush a folder.
        try? folder.synchronize()
        return true
    }

    private func write(_ data: Data) throws(POSIXError) {
        do throws(POSIXError) {
            let file = try SystemFile(temporaryPath, for: .creatingNew, mode: mode)
            try file.append(data)
            try file.synchronize()
            try SystemFile.move(temporaryPath, to: path)
        } catch {
            SystemFile.delete(temporaryPath)
            throw error
        }
    }

    /// Deletes the file that a kill has left.
    private func removeRest() {
        guard (try? FileStatus(at: temporaryPath, followingLinks: false)) != nil,
            let folder = try? SystemFile(folderPath, for: .reading)
        else { return }
        // Otherwise it could be one that another writer is about to rename.
        folder.waitForLock()
        defer { folder.unlock() }
        SystemFile.delete(temporaryPath)
    }
}
