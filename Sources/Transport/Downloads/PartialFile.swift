import Foundation

/// The file that a download writes before it takes its place: a neighbour of the target, so that the last step is a
/// rename, which happens or does not.
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
            path = target.path + ".patchbay-partial"
            recordPath = target.path + ".patchbay-record"
            descriptor = try Self.openOwn(path)
        } else {
            path = folder.appending(path: ".patchbay-\(UUID().uuidString).partial").path
            recordPath = nil
            descriptor = try Self.open(path, O_EXCL)
        }
        self.path = path
        self.target = target
    }

    deinit { close(descriptor) }

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
        guard fsync(descriptor) == 0, rename(path, target.path) == 0 else { throw Self.failure(of: target) }
        if let recordPath { unlink(recordPath) }
        let folder = Foundation.open(target.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Not every file system can do this for a folder, and the file is in its place already.
        fsync(folder)
        close(folder)
    }

    /// Leaves nothing behind.
    func discard() {
        if let recordPath { unlink(recordPath) }
        unlink(path)
    }

    /// Where a link leads, if the target is one; a file that may be replaced, or one that does not exist yet.
    private static func checked(_ url: URL) throws(DownloadError) -> URL {
        guard url.isFileURL, !url.hasDirectoryPath, !url.lastPathComponent.isEmpty else {
            throw DownloadError(.invalidTarget, "The target is not the URL of a file; give one that ends with a name.")
        }
        let target = url.resolvingSymlinksInPath()
        if let attributes = try? FileManager.default.attributesOfItem(atPath: target.path),
            attributes[.type] as? FileAttributeType != .typeRegular
        {
            throw DownloadError(
                .invalidTarget, "\(label(of: target)) is a folder or a device; give the name of a file.")
        }
        var isFolder: ObjCBool = false
        let folder = target.deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw DownloadError(
                .missingFolder,
                "The folder of the file \(target.lastPathComponent.debugDescription) does not exist; create it first.")
        }
        return target
    }

    private static func open(_ path: String, _ flags: Int32) throws(DownloadError) -> Int32 {
        let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o666)
        guard file >= 0 else { throw failure(of: URL(filePath: path)) }
        return file
    }

    /// Opens a file that other downloads may want too.
    private static func openOwn(_ path: String) throws(DownloadError) -> Int32 {
        while true {
            let file = try open(path, 0)
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                let label = label(of: URL(filePath: path))
                throw DownloadError(.inUse, "\(label) is written by another download; wait for it, or end it.")
            }
            // The other one may have moved it into its place between opening and locking.
            let again = Foundation.open(path, O_RDONLY | O_CLOEXEC)
            let isSame = again >= 0 && identity(of: again)?.node == identity(of: file)?.node
            if again >= 0 { close(again) }
            if isSame { return file }
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

    private static func label(of url: URL) -> String { "The file \(url.lastPathComponent.debugDescription)" }

    /// What the system's last error on this thread means.
    private static func failure(of url: URL) -> DownloadError {
        let error = POSIXError.last
        let (code, problem): (DownloadError.Code, String) =
            switch error.code {
            case .ENOSPC, .EDQUOT: (.diskFull, "cannot be written: the disk is full")
            case .EACCES, .EPERM, .EROFS: (.notWritable, "may not be written by this process")
            case .ENOENT, .ENOTDIR: (.missingFolder, "cannot be written: its folder is gone")
            default: (.fileFailure, "cannot be written")
            }
        return DownloadError(code, "\(label(of: url)) \(problem).", underlying: error)
    }
}
