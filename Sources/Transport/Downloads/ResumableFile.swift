package import Foundation
import SystemLibraries

/// A locked file that a download writes, with the record of what its bytes are beside it.
///
/// Its mode is 0600. The record is deleted before bytes that it no longer describes are overwritten, and written before
/// the bytes that it describes. File and record therefore match at any crash of the process.
package final class ResumableFile {
    private let path: String
    private let recordPath: String
    private let file: SystemFile

    /// Opens and locks a file, which may exist already.
    /// - Returns: nil if another download has locked it.
    package init?(_ path: String, record recordPath: String) throws(POSIXError) {
        guard let file = try SystemFile.locked(path) else { return nil }
        file.setMode(0o600)
        (self.path, self.recordPath, self.file) = (path, recordPath, file)
    }

    deinit {
        // Explicitly: a child process that is just being spawned may hold a copy of the descriptor, and with it the
        // lock, after the file is closed.
        file.unlock()
    }

    /// The size in bytes.
    package var size: Int64 { file.status?.size ?? 0 }

    /// The stored record, if there is a valid one.
    package var record: DownloadRecord? { DownloadRecord(at: recordPath) }

    /// Truncates the file at an offset and stores the record.
    /// - Parameter record: the new record; nil deletes the stored one.
    package func begin(at offset: Int64, _ record: DownloadRecord?) throws(POSIXError) {
        let isNew = record != self.record
        if isNew { SystemFile.delete(recordPath) }
        try file.truncate(to: offset)
        if isNew, let record { try record.write(to: recordPath) }
    }

    /// Appends bytes.
    package func append(_ data: Data) throws(POSIXError) { try file.append(data) }

    /// Reads bytes.
    package func read(_ count: Int, at offset: Int64) throws(POSIXError) -> Data {
        try file.read(count, at: offset)
    }

    /// Reads the file in parts.
    package func forEachPart(_ body: (Data) throws -> Void) throws {
        let size = size
        for start in stride(from: 0, to: size, by: 1 << 20) {
            try body(try read(Int(min(1 << 20, size - start)), at: start))
        }
    }

    /// Moves the complete file durably, in place of another one of that name.
    /// - Parameter mode: best effort, since some file systems have no modes; nil leaves it at 0600.
    package func move(to target: String, mode: UInt16?) throws(POSIXError) {
        if let mode { file.setMode(mode) }
        do throws(POSIXError) {
            try file.moveDurably(from: path, to: target)
        } catch {
            file.setMode(0o600)
            throw error
        }
        SystemFile.delete(recordPath)
    }

    /// Deletes the file and its record.
    package func delete() {
        SystemFile.delete(recordPath)
        SystemFile.delete(path)
    }
}
