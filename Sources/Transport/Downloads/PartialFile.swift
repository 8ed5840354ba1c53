import Coordination
import Foundation
import SystemLibraries

/// The file that a download writes, in the target's folder, so that an atomic rename completes it.
///
/// Its mode is 0600 until the rename. One that is kept after a failure has a fixed name, which the next download of the
/// target finds.
final class PartialFile {
    private enum Storage {
        case temporary(HeldFile)
        case kept(ResumableFile)
    }

    private static let partialSuffix = ".patchbay-partial"
    private static let recordSuffix = ".patchbay-record"
    /// The ends of the names of the files that are kept.
    static let suffixes = [partialSuffix, recordSuffix]

    private let target: URL
    private let storage: Storage

    /// Opens and locks the file.
    /// - Parameter isKept: true to use and leave a resumable file.
    init(for url: URL, isKept: Bool) throws(DownloadError) {
        let target = try Self.checked(url)
        let folder = target.deletingLastPathComponent()
        guard isKept else {
            HeldFile.deleteAbandonedOnce(in: folder, kind: "partial")
            storage = .temporary(
                try Self.doing(target) { () throws(POSIXError) in try HeldFile(in: folder, kind: "partial") })
            self.target = target
            return
        }
        let name = target.lastPathComponent
        let path = folder.appending(path: name.appendingToFileName(Self.partialSuffix)).path
        let record = folder.appending(path: name.appendingToFileName(Self.recordSuffix)).path
        let file = try Self.doing(target) { () throws(POSIXError) in try ResumableFile(path, record: record) }
        guard let file else {
            throw DownloadError(
                .inUse, "Another download of the file \(Self.name(of: target)) is running; wait for it or cancel it.")
        }
        storage = .kept(file)
        self.target = target
    }

    /// The size in bytes.
    var size: Int64 {
        switch storage {
        case .temporary(let file): file.size
        case .kept(let file): file.size
        }
    }

    /// The stored record, if there is a valid one.
    var record: DownloadRecord? { if case .kept(let file) = storage { file.record } else { nil } }

    /// Truncates the file at an offset and stores the record.
    /// - Parameter record: the new record; nil deletes the stored one.
    func begin(at offset: Int64, _ record: DownloadRecord?) throws(DownloadError) {
        try Self.doing(target) { () throws(POSIXError) in
            switch storage {
            case .temporary(let file): try file.truncate(to: offset)
            case .kept(let file): try file.begin(at: offset, record)
            }
        }
    }

    /// Appends bytes.
    func append(_ data: Data) throws(DownloadError) {
        try Self.doing(target) { () throws(POSIXError) in
            switch storage {
            case .temporary(let file): try file.append(data)
            case .kept(let file): try file.append(data)
            }
        }
    }

    /// Reads bytes.
    func read(_ count: Int, at offset: Int64) throws(POSIXError) -> Data {
        switch storage {
        case .temporary(let file): try file.read(count, at: offset)
        case .kept(let file): try file.read(count, at: offset)
        }
    }

    /// Moves the file to its target, durably: synchronizes the file, renames it, and synchronizes the folder.
    /// - Parameter other: another name in the target's folder; nil for the target.
    func commit(to other: URL? = nil) throws(DownloadError) {
        let path = (other ?? target).path
        let mode = SystemFile.mode(replacing: path)
        try Self.doing(target) { () throws(POSIXError) in
            switch storage {
            case .temporary(let file): try file.move(to: path, mode: mode, isDurable: true)
            case .kept(let file): try file.move(to: path, mode: mode)
            }
        }
    }

    /// Deletes the file and its record.
    func discard() {
        switch storage {
        case .temporary(let file): file.delete()
        case .kept(let file): file.delete()
        }
    }

    /// Validates the target and resolves symbolic links.
    static func checked(_ url: URL) throws(DownloadError) -> URL {
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
        let status: FileStatus
        do throws(POSIXError) {
            status = try FileStatus(at: target.path, followingLinks: false)
        } catch {
            guard error.code == .ENOENT else { throw failure(of: target, because: error) }
            return target
        }
        switch status.kind {
        case .regular:
            return target
        case .symbolicLink:
            throw DownloadError(
                .invalidTarget,
                "Broken symbolic link: the file \(name(of: target)); remove the link, or create its target.")
        case .folder, .other:
            throw DownloadError(
                .invalidTarget, "The file \(name(of: target)) is a folder or a device; use the name of a regular file.")
        }
    }

    /// Performs calls for the file of a target, and converts their error.
    private static func doing<Result>(
        _ target: URL, _ calls: () throws(POSIXError) -> Result
    ) throws(DownloadError) -> Result {
        do throws(POSIXError) { return try calls() } catch { throw failure(of: target, because: error) }
    }

    private static func name(of url: URL) -> String { url.lastPathComponent.debugDescription }

    private static func failure(of target: URL, because error: POSIXError) -> DownloadError {
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
        let tail = "-" + String(utf8.fnv1a, radix: 16) + suffix
        var start = self[...]
        while start.utf8.count + tail.utf8.count > limit { start.removeLast() }
        return start + tail
    }
}
