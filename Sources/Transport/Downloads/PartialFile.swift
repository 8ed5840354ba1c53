import Foundation
import SystemLibraries

/// The file that a download writes before it takes its place: a neighbour of the target, so that the last step is a
/// rename, which happens or does not. Only its owner can read it until then.
///
/// One that is kept has a name that the next download of the same target finds, and beside it a record of what it is a
/// part of. The record goes before the bytes that it does not describe any more, and comes before those that it does:
/// whatever moment the process ends at, they fit.
final class PartialFile {
    private let target: URL
    private let path: String
    private let recordPath: String?
    private let descriptor: Int32

    /// Opens the file, and makes sure that it is nobody else's.
    /// - Parameter isKept: use what an earlier download left, and leave something to a later one.
    init(for url: URL, isKept: Bool) throws(DownloadError) {
        let target = try Self.checked(url)
        let folder = target.deletingLastPathComponent()
        let path: String
        if isKept {
            let name = target.lastPathComponent
            path = folder.appending(path: name.appendingToFileName(".patchbay-partial")).path
            recordPath = folder.appending(path: name.appendingToFileName(".patchbay-record")).path
            descriptor = try Self.openOwn(path, for: target)
        } else {
            path = Self.unusedPath(in: folder)
            recordPath = nil
            descriptor = try Self.open(path, O_EXCL, for: target)
        }
        self.path = path
        self.target = target
    }

    deinit {
        // Closing alone keeps the lock while a child process, which starts at this moment, has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// How many bytes there are.
    var size: Int64 { Self.identity(of: descriptor)?.size ?? 0 }

    /// What they are a part of, as far as that was kept.
    var record: DownloadRecord? {
        recordPath.flatMap { FileManager.default.contents(atPath: $0) }.flatMap { DownloadRecord($0) }
    }

    /// Goes to a place in the file; what is behind it is gone.
    /// - Parameter record: what the file is a part of from now on.
    func begin(at offset: Int64, _ record: DownloadRecord?) throws(DownloadError) {
        let isNew = record != self.record
        if isNew, let recordPath { unlink(recordPath) }
        guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset)
        else { throw Self.failure(of: target) }
        guard isNew, let record, let recordPath else { return }
        // It holds a URL, which may be a secret.
        let file = Foundation.open(recordPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Self.failure(of: target) }
        defer { close(file) }
        try Self.write(record.data, to: file, of: target)
    }

    /// Writes the next bytes.
    func append(_ data: Data) throws(DownloadError) { try Self.write(data, to: descriptor, of: target) }

    /// Puts the file into its place, for good: a crash of the machine does not lose it any more.
    func commit() throws(DownloadError) {
        // Some file systems have no modes, which is no reason to lose the file.
        if let mode = Self.mode(for: target) { fchmod(descriptor, mode) }
        guard DiskSynchronization.wait(for: descriptor) == 0, rename(path, target.path) == 0 else {
            throw Self.failure(of: target)
        }
        if let recordPath { unlink(recordPath) }
        let folder = Foundation.open(target.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Not every file system can do this for a folder, and the file is in its place already.
        _ = DiskSynchronization.wait(for: folder)
        close(folder)
    }

    /// Leaves nothing behind.
    func discard() {
        if let recordPath { unlink(recordPath) }
        unlink(path)
    }

    /// The target, or the file that it links to: one that may be replaced, or does not exist yet.
    private static func checked(_ url: URL) throws(DownloadError) -> URL {
        guard url.isFileURL, !url.hasDirectoryPath, !url.lastPathComponent.isEmpty else {
            throw DownloadError(.invalidTarget, "The target is not a file; give a file URL that ends with a name.")
        }
        let target = url.resolvingSymlinksInPath()
        var isFolder: ObjCBool = false
        let folder = target.deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw DownloadError(
                .missingFolder, "The folder of the file \(name(of: target)) does not exist; create it first.")
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
                "The file \(name(of: target)) is a link to a file that does not exist; remove the link, or create that file."
            )
        default:
            throw DownloadError(
                .invalidTarget, "The file \(name(of: target)) is a folder or a device; give the name of a file.")
        }
    }

    /// The mode of the target, or that of a new file of this process (its umask, or what the folder says).
    private static func mode(for target: URL) -> mode_t? {
        var status = stat()
        if stat(target.path, &status) != 0 {
            // The umask itself cannot be read without changing it for all threads.
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

    /// Opens a file that other downloads may want too.
    private static func openOwn(_ path: String, for target: URL) throws(DownloadError) -> Int32 {
        while true {
            let file = try open(path, 0, for: target)
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                throw DownloadError(
                    .inUse,
                    "The file \(name(of: target)) is being downloaded already; wait for that download, or cancel it.")
            }
            // The other one may have moved it into its place between opening and locking.
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

    /// What the system's last error on this thread means.
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
    /// A file name with something added, and with its middle replaced by a hash where it would be too long.
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
