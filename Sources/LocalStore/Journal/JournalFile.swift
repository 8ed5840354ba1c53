import Foundation
import StoreCore
import SystemLibraries

/// Open file of a journal; throws store errors, and closes the file with the last reference.
final class JournalFile: Sendable {
    private let descriptor: CInt
    private let disk: JournalDisk

    /// Opens a file, creating it if missing.
    /// - Parameter other: an open file whose permissions a new file gets; nil for those of any new file.
    init(path: String, disk: JournalDisk, permissionsOf other: JournalFile? = nil) throws(StoreError) {
        let mode = other.map { FileStatus(of: $0.descriptor)?.mode ?? 0o600 }
        descriptor = try Self.open(path, mode: mode ?? 0o644)
        self.disk = disk
        // The umask may have removed some.
        if let mode { _ = fchmod(descriptor, mode_t(mode)) }
    }

    deinit {
        // Unlocks explicitly: a child process that another thread is starting may briefly share the descriptor.
        _ = flock(descriptor, LOCK_UN)
        _ = Foundation.close(descriptor)
    }

    /// Opens a file, creating it if missing; child processes do not inherit it.
    static func open(_ path: String, mode: UInt16 = 0o644) throws(StoreError) -> CInt {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw failure("open") }
        return descriptor
    }

    /// Locks the file itself, which may have other names (hard links), until it is closed.
    /// - Throws: `StoreError`: `busy` when another store has the lock; `io`.
    func lock() throws(StoreError) { try JournalLock.lock(descriptor) }

    /// - Throws: `StoreError` (`io`) unless the path names this file: what is written to it would be lost.
    func checkName(_ path: String) throws(StoreError) {
        guard JournalLock.isNamed(path, descriptor) else {
            throw StoreError(
                .io,
                "Journal was deleted or replaced while the store had it open: \(path); save the data elsewhere, and open "
                    + "a new store.")
        }
    }

    // MARK: Content

    /// Reads the whole file. It is copied, not mapped: a read error of a mapped file kills the process (SIGBUS).
    func content() throws(StoreError) -> [UInt8] {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw Self.failure("read") }
        var code: CInt = 0
        let content = [UInt8](unsafeUninitializedCapacity: Int(size)) { bytes, count in
            while count < bytes.count {
                let read = pread(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, off_t(count))
                if read < 0, errno == EINTR { continue }
                if read <= 0 {
                    code = read < 0 ? errno : EIO
                    return
                }
                count += read
            }
        }
        guard code == 0 else { throw Self.failure("read", code) }
        return content
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
        let code: CInt = bytes.withUnsafeBytes { bytes in
            var count = 0
            while count < bytes.count {
                let written = disk.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: bytes[count...]), offset + count)
                if written < 0, errno == EINTR { continue }
                if written <= 0 { return written < 0 ? errno : EIO }
                count += written
            }
            return 0
        }
        guard code == 0 else { throw Self.failure("write", code) }
    }

    func truncate(to size: Int) throws(StoreError) {
        guard disk.truncate(descriptor, size) == 0 else { throw Self.failure("truncate") }
    }

    /// Flushes the file to the disk.
    func synchronize() throws(StoreError) {
        guard disk.synchronize(descriptor) == 0 else { throw Self.failure("synchronize") }
    }

    // MARK: Names

    /// - Returns: false when the file could not be removed.
    @discardableResult
    static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    static func rename(_ path: String, to other: String, disk: JournalDisk) throws(StoreError) {
        guard disk.rename(path, other) == 0 else { throw failure("rename") }
    }

    /// Flushes the folder of a file to the disk, so that a rename survives a power failure.
    static func synchronizeFolder(of path: String, disk: JournalDisk) throws(StoreError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = Foundation.open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open the folder of") }
        defer { _ = Foundation.close(descriptor) }
        guard disk.synchronize(descriptor) == 0 else { throw failure("synchronize the folder of") }
    }

    /// Creates the error of a failed system call.
    /// - Parameters:
    ///   - action: a verb, such as `write`.
    ///   - code: the `errno` value; default that of the last call.
    static func failure(_ action: String, _ code: CInt = errno) -> StoreError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
        let advice = isFull ? "free disk space, then retry" : "check the file and its folder"
        return StoreError(
            isFull ? .full : .io, "Cannot \(action) the journal: \(String(cString: strerror(code))); \(advice).")
    }
}
