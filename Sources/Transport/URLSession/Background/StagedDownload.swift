import Foundation
import SystemLibraries

/// A downloaded file beside its target, on its way there from the system's folder.
struct StagedDownload {
    /// What may pass: a full disk, no more open files or memory, and a device that is locked.
    static let transientErrors: Set<POSIXErrorCode> = [.ENOSPC, .EDQUOT, .EMFILE, .ENFILE, .ENOMEM, .EPERM]

    private let record: BackgroundTransferRecord
    private var path: String { record.stagingFile.path }

    init(_ record: BackgroundTransferRecord) { self.record = record }

    /// Moves a file of the system here, and flushes it: a record may not be newer than its file after a loss of power.
    func take(_ file: URL) throws -> StoredFile {
        delete()
        do throws(POSIXError) { try SystemFile.move(file.path, to: path) } catch {
            // The system's folder may be on another volume.
            guard error.code == .EXDEV else { throw error }
            try FileManager.default.moveItem(at: file, to: record.stagingFile)
        }
        return try flushed()
    }

    /// Finds the file of a process that was killed while it took it; nil if there is none, or only a part.
    func find() -> StoredFile? {
        guard case .receiving(_, let size) = record.phase, let file = try? flushed() else { return nil }
        if file.size == size { return file }
        // It was being copied from another volume.
        delete()
        return nil
    }

    /// Moves the file to its target.
    ///
    /// Without effect if an earlier process has done that, and was killed before it could store it.
    func place(_ file: StoredFile) throws(POSIXError) {
        let target = record.file.url.path
        do throws(POSIXError) {
            let open = try SystemFile(path, for: .writing)
            guard open.status.map({ StoredFile($0) }) == file else { throw POSIXError(.ENOENT) }
            if let mode = SystemFile.mode(replacing: target) { open.setMode(mode) }
            try open.moveDurably(from: path, to: target)
        } catch {
            // Not any file that is there: it may be the one to replace.
            guard error.code == .ENOENT, let status = try? FileStatus(at: target, followingLinks: false),
                StoredFile(status) == file
            else { throw error }
        }
    }

    func delete() { SystemFile.delete(path) }

    private func flushed() throws(POSIXError) -> StoredFile {
        // What cannot be flushed now must be flushed before the file is moved to its target.
        try? SystemFile(path, for: .writing).synchronize()
        try? SystemFile(record.stagingFile.deletingLastPathComponent().path, for: .reading).synchronize()
        return StoredFile(try FileStatus(at: path, followingLinks: false))
    }
}
