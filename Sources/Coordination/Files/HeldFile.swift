package import Foundation
import Synchronization
package import SystemLibraries

/// A new file of mode 0600 that is locked until it is moved or deleted.
///
/// The files of killed writers are those without a lock. Its name is `.UUID.` and a kind. On a file system that has no
/// locks, the file has none, and the files of killed writers stay.
package final class HeldFile: Sendable {
    private let path: String
    private let file: SystemFile

    /// Creates a file in a folder.
    /// - Parameter lock: locks it, and returns false if another process has done so.
    /// - Throws: `POSIXError`.
    package init(
        in folder: URL, kind: String,
        lock: (SystemFile) throws(POSIXError) -> Bool = { (file) throws(POSIXError) in try file.lock() }
    ) throws(POSIXError) {
        while true {
            let path = folder.appending(path: ".\(UUID().uuidString).\(kind)").path
            let file = try SystemFile(path, for: .creatingNew)
            // In between, another process may have taken it for that of a killed writer, and deletes it.
            if Self.isHeld(file, at: path, lock) {
                self.path = path
                self.file = file
                return
            }
        }
    }

    private static func isHeld(
        _ file: SystemFile, at path: String, _ lock: (SystemFile) throws(POSIXError) -> Bool
    ) -> Bool {
        do throws(POSIXError) {
            guard try lock(file) else { return false }
        } catch {
            // No process takes it, where none can lock it.
            return true
        }
        return (try? FileStatus(at: path))?.identity == file.status?.identity
    }

    // Explicitly: a child process that is just being spawned may hold a copy of the descriptor.
    deinit { file.unlock() }

    /// The size in bytes.
    package var size: Int64 { file.status?.size ?? 0 }

    /// Appends bytes.
    /// - Throws: `POSIXError`.
    package func append(_ data: Data) throws(POSIXError) { try file.append(data) }

    /// Reads bytes.
    /// - Throws: `POSIXError`.
    package func read(_ count: Int, at offset: Int64) throws(POSIXError) -> Data {
        try file.read(count, at: offset)
    }

    /// Removes the bytes after an offset.
    /// - Throws: `POSIXError`.
    package func truncate(to size: Int64) throws(POSIXError) { try file.truncate(to: size) }

    /// Moves the file, replacing another one of that name, but no folder.
    /// - Parameters:
    ///   - mode: the permissions of the moved file; nil for 0600.
    ///   - isDurable: true to wait until it is on the disk.
    /// - Throws: `POSIXError`.
    package func move(to newPath: String, mode: UInt16? = nil, isDurable: Bool = false) throws(POSIXError) {
        if let mode { file.setMode(mode) }
        if isDurable { try file.moveDurably(from: path, to: newPath) } else { try SystemFile.move(path, to: newPath) }
    }

    /// Deletes the file, unless it was moved.
    package func delete() { SystemFile.delete(path) }

    /// Deletes the files of a kind in a folder whose writers have ended without deleting them.
    package static func deleteAbandoned(in folder: URL, kind: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(".") && name.hasSuffix("." + kind) {
            guard UUID(uuidString: String(name.dropFirst().dropLast(kind.count + 1))) != nil else { continue }
            let path = folder.appending(path: name).path
            guard let file = try? SystemFile(path, for: .writing), (try? file.lock()) == true else { continue }
            SystemFile.delete(path)
            file.unlock()
        }
    }

    /// As ``deleteAbandoned(in:kind:)``, once for each folder in this process.
    package static func deleteAbandonedOnce(in folder: URL, kind: String) {
        let isFirst = cleaned.withLock { $0.insert(kind + folder.path).inserted }
        if isFirst { deleteAbandoned(in: folder, kind: kind) }
    }

    private static let cleaned = Mutex<Set<String>>([])
}
