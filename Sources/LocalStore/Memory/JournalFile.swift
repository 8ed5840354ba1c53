import Foundation

/// A journal's open file, with the errors of a store. It is closed with the last reference to it.
final class JournalFile: Sendable {
    private let descriptor: CInt
    private let disk: JournalDisk

    /// Opens a file, or makes an empty one.
    init(path: String, disk: JournalDisk) throws(StoreError) {
        descriptor = try Self.open(path)
        self.disk = disk
    }

    deinit { _ = Foundation.close(descriptor) }

    /// Opens a file that no program started from here inherits, or makes an empty one.
    static func open(_ path: String) throws(StoreError) -> CInt {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("opened") }
        return descriptor
    }

    // MARK: Content

    /// All that is in the file. It is copied: a file that is only mapped ends the process when it cannot be read.
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
        guard code == 0 else { throw Self.failure("written", code) }
    }

    func truncate(to size: Int) throws(StoreError) {
        guard disk.truncate(descriptor, size) == 0 else { throw Self.failure("cut") }
    }

    /// Waits until the disk has all of the file.
    func synchronize() throws(StoreError) {
        guard disk.synchronize(descriptor) == 0 else { throw Self.failure("synchronized") }
    }

    // MARK: Names

    /// - Returns: false when there was no such file.
    @discardableResult
    static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    static func rename(_ path: String, to other: String, disk: JournalDisk) throws(StoreError) {
        guard disk.rename(path, other) == 0 else { throw failure("renamed") }
    }

    /// Waits until the disk knows the names in the folder of a file.
    static func synchronizeFolder(of path: String, disk: JournalDisk) throws(StoreError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = Foundation.open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("found in its folder") }
        defer { _ = Foundation.close(descriptor) }
        guard disk.synchronize(descriptor) == 0 else { throw failure("named") }
    }

    /// - Parameter code: what the system says; default what its last call failed with.
    static func failure(_ action: String, _ code: CInt = errno) -> StoreError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
        let advice = isFull ? "; make room on its disk" : ""
        return StoreError(
            isFull ? .full : .io, "The journal cannot be \(action)\(advice) (\(String(cString: strerror(code)))).")
    }
}
