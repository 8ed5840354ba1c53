import Foundation
import SystemLibraries

/// The file that a download writes, in the target's folder, so that an atomic rename completes it.
///
/// Its mode is 0600 until the rename. A resumable file has a fixed name, which the next download of the target finds,
/// and a ``DownloadRecord`` beside it. The record is deleted before bytes that it no longer describes are overwritten,
/// and written before the bytes that it describes. File and record therefore match at any crash of the process.
final class PartialFile {
    private let target: URL
    private let path: String
    private let recordPath: String?
    private let descriptor: Int32

    /// Opens and locks the file.
    /// - Parameter isKept: true to use and leave a resumable file.
    init(for url: URL, isKept: Bool) throws(DownloadError) {
        let target = try Self.checked(url)
        let folder = target.deletingLastPathComponent()
        let path: String
        if isKept {
            let name = target.lastPathComponent
            path = folder.appending(path: name.appendingToFileName(".patchbay-partial")).path
            recordPath = folder.appending(path: name.appendingToFileName(".patchbay-record")).path
            descriptor = try Self.openLocked(path, for: target)
        } else {
            path = Self.unusedPath(in: folder)
            recordPath = nil
            descriptor = try Self.open(path, O_EXCL, for: target)
        }
        self.path = path
        self.target = target
    }

    deinit {
        // Unlock explicitly: a child process that is just being spawned may hold a copy of the descriptor, and with it
        // the lock, after `close`.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The size in bytes.
    var size: Int64 { Self.identity(of: descriptor)?.size ?? 0 }

    /// The stored record, if there is a valid one.
    var record: DownloadRecord? {
        recordPath.flatMap { FileManager.default.contents(atPath: $0) }.flatMap { DownloadRecord($0) }
    }

    /// Truncates the file at an offset and stores the record.
    /// - Parameter record: the new record; nil deletes the stored one.
    func begin(at offset: Int64, _ record: DownloadRecord?) throws(DownloadError) {
        let isNew = record != self.record
        if isNew, let recordPath { unlink(recordPath) }
        guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset)
        else { throw Self.failure(of: target) }
        guard isNew, let record, let recordPath else { return }
        // Mode 0600: the URL in the record may be a secret.
        let file = Foundation.open(recordPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Self.failure(of: target) }
        defer { close(file) }
        try Self.write(record.data, to: file, of: target)
    }

    /// Appends bytes.
    func append(_ data: Data) throws(DownloadError) { try Self.write(data, to: descriptor, of: target) }

    /// Moves the file to its target, durably: synchronizes the file, renames it, and synchronizes the folder.
    func commit() throws(DownloadError) {
        // Best effort: some file systems have no modes.
        if let mode = Self.mode(for: target) { fchmod(descriptor, mode) }
        guard DiskSynchronization.synchronize(descriptor) == 0, rename(path, target.path) == 0 else {
            throw Self.failure(of: target)
        }
        if let recordPath { unlink(recordPath) }
        let folder = Foundation.open(target.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Best effort: not every file system can synchronize a folder.
        _ = DiskSynchronization.synchronize(folder)
        close(folder)
    }

    /// Deletes the file and its record.
    func discard() {
        if let recordPath { unlink(recordPath) }
        unlink(path)
    }

    /// Validates the target and resolves symbolic links.
    private static func checked(_ url: URL) throws(DownloadError) -> URL {
        guard url.isFileURL, !url.hasDirectoryPath, !url.lastPathComponent.isEmpty else {
            throw DownloadError(.invalidTarget, "Target is not a file; use a file URL that ends with a file name.")
        }
        let target = url.resolvingSymlinksInPath()
        var isFolder: ObjCBool = false
        let folder = target.deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw DownloadError(
                .missingFolder, "Folder not found: the folder of the file \(name(of: target)); create it first.")
        }
        var status = stat()
        guard lstat(target.path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(of: target) }
            return target
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            return target
        case S_IFLNK:
            throw DownloadError(
                .invalidTarget,
                "Broken symbolic link: the file \(name(of: target)); remove the link, or create its target.")
        default:
            throw DownloadError(
                .invalidTarget, "The file \(name(of: target)) is a folder or a device; use the name of a regular file.")
        }
    }

    /// The mode of the target, or of a new file of this process (by its umask or the folder's default).
    private static func mode(for target: URL) -> mode_t? {
        var status = stat()
        if stat(target.path, &status) != 0 {
            // Create a file to find out: reading the umask means changing it for all threads.
            let path = unusedPath(in: target.deletingLastPathComponent())
            let file = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard file >= 0 else { return nil }
            defer { close(file) }
            unlink(path)
            guard fstat(file, &status) == 0 else { return nil }
        }
        return status.st_mode & 0o777
    }

    private static func unusedPath(in folder: URL) -> String {
        folder.appending(path: ".patchbay-\(UUID().uuidString).partial").path
    }

    private static func open(_ path: String, _ flags: Int32, for target: URL) throws(DownloadError) -> Int32 {
        let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
        guard file >= 0 else { throw failure(of: target) }
        return file
    }

    /// Opens and locks a file that other downloads may use.
    private static func openLocked(_ path: String, for target: URL) throws(DownloadError) -> Int32 {
        while true {
            let file = try open(path, 0, for: target)
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                throw DownloadError(
                    .inUse,
                    "Another download of the file \(name(of: target)) is running; wait for it or cancel it.")
            }
            // Another download may have renamed the file between `open` and `flock`; then open the path again.
            let again = Foundation.open(path, O_RDONLY | O_CLOEXEC)
            let isSame = again >= 0 && identity(of: again)?.node == identity(of: file)?.node
            if again >= 0 { close(again) }
            if isSame {
                fchmod(file, 0o600)
                return file
            }
            close(file)
        }
    }

    private static func identity(of descriptor: Int32) -> (node: UInt64, size: Int64)? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return (UInt64(status.st_ino), Int64(status.st_size))
    }

    private static func write(_ data: Data, to descriptor: Int32, of target: URL) throws(DownloadError) {
        let isWritten = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno != EINTR { return false }
                rest = rest.dropFirst(max(0, count))
            }
            return true
        }
        guard isWritten else { throw failure(of: target) }
    }

    private static func name(of url: URL) -> String { url.lastPathComponent.debugDescription }

    /// Converts the current `errno`.
    private static func failure(of target: URL) -> DownloadError {
        let error = POSIXError.last
        let file = "the file \(name(of: target))"
        let (code, message): (DownloadError.Code, String) =
            switch error.code {
            case .ENOSPC, .EDQUOT: (.diskFull, "Disk full: \(file) cannot be written.")
            case .EACCES, .EPERM: (.notWritable, "Permission denied: \(file) cannot be written by this process.")
            case .EROFS: (.notWritable, "Read-only file system: \(file) cannot be written.")
            case .ENOENT, .ENOTDIR: (.missingFolder, "Folder not found: \(file) cannot be written.")
            case .ENAMETOOLONG: (.fileFailure, "File name too long: \(file).")
            default: (.fileFailure, "Write failed: \(file) (\(String(cString: strerror(error.code.rawValue)))).")
            }
        return DownloadError(code, message, underlying: error)
    }
}

extension String {
    /// The file name with a suffix; a name too long for the file system is cut, and a hash of it added.
    fileprivate func appendingToFileName(_ suffix: String) -> String {
        let limit = 255
        guard utf8.count + suffix.utf8.count > limit else { return self + suffix }
        // FNV-1a: the same in every process, unlike Swift's own hashes.
        let hash = utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let tail = "-" + String(hash, radix: 16) + suffix
        var start = self[...]
        while start.utf8.count + tail.utf8.count > limit { start.removeLast() }
        return start + tail
    }
}
