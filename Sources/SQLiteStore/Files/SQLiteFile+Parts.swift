import Foundation
import StoreCore
import Synchronization
import SystemLibraries

/// Files that are written beside their place, and get their name when they are complete.
extension SQLiteFile {
    private static let lastPart = Atomic<Int>(0)

    private var partPrefix: String { path + ".partial-" }

    /// A path beside this file, which no other call uses: with the process and a number.
    func newPartPath() -> String {
        let number = Self.lastPart.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(partPrefix)\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    }

    /// Removes the parts of processes that have ended.
    func removeAbandonedParts() {
        let url = URL(fileURLWithPath: path)
        let prefix = url.lastPathComponent + ".partial-"
        let folder = url.deletingLastPathComponent().path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            let numbers = name.dropFirst(prefix.count).split(separator: "-")
            guard let process = numbers.first.flatMap({ pid_t($0) }), process > 0 else { continue }
            guard kill(process, 0) != 0, errno == ESRCH else { continue }
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// Removes the logs of a deleted database of this name, which SQLite would apply to the next one.
    /// - Throws: `StoreError` (`io`).
    private func removeLogs() throws(StoreError) {
        for log in ["-shm", "-wal", "-journal"].map({ path + $0 }) where unlink(log) != 0 {
            let code = errno
            guard code != ENOENT else { continue }
            throw StoreError(
                .io,
                "Cannot remove \(log), which a deleted database has left: \(String(cString: strerror(code))); "
                    + "remove it, and retry.")
        }
    }

    /// Renames a complete file, whose bytes are on the disk, to a name without a database.
    ///
    /// The other name's logs are removed first, as SQLite removes those beside an empty file.
    /// - Throws: `StoreError` (`io`).
    func rename(to other: SQLiteFile) throws(StoreError) {
        // Its logs are not those of a deleted database.
        guard !other.exists else {
            throw StoreError(.io, "File exists: \(other.path), which was created meanwhile; retry.")
        }
        try other.removeLogs()
        guard Foundation.rename(path, other.path) == 0 else {
            throw StoreError(
                .io,
                "Cannot rename \(path) to \(other.path): \(String(cString: strerror(errno))); check the folder's "
                    + "permissions.")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = Foundation.open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = Foundation.close(descriptor) }
        _ = DiskSynchronization.synchronize(descriptor)
    }
}
