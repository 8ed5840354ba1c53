import Foundation
import HTTPMessages
import SystemLibraries
import Transport

/// The temporary file of a download under a name of the app, with the record of what its bytes are.
final class PartialDownload {
    enum Failure: Error {
        /// Another download has locked the file.
        case inUse
        /// The file has become shorter than the part to keep.
        case changed
        case system(POSIXError)
    }

    let url: URL
    /// True when the file is kept after a failure, to continue it.
    private let isResumable: Bool
    private let recordPath: String
    /// What the bytes of the file are of; nil if that is not known.
    private(set) var record: DownloadRecord?
    private var file: SystemFile?

    init(_ url: URL, isResumable: Bool) {
        self.url = url
        self.isResumable = isResumable
        recordPath = url.path + ".patchbay-record"
        record = isResumable ? DownloadRecord(at: recordPath) : nil
    }

    deinit { file?.unlock() }

    /// The number of bytes that a request can continue: those of its URL, unless the app demands another version.
    func offset(for message: HTTPMessages.HTTPRequest) -> Int64 {
        guard let record, record.url == message.url.absoluteString, message.method == .get,
            [nil, record.entityTag].contains(message.fields[.ifRange]),
            let size = try? FileStatus(at: url.path).size, size < record.length
        else { return 0 }
        return size
    }

    /// Opens and locks the file, and keeps its first bytes.
    /// - Parameter newRecord: what the bytes of a whole file are of; nil if they cannot be continued.
    func open(at start: Int64, _ newRecord: DownloadRecord?) throws(Failure) {
        let file = try lockedFile()
        guard (file.status?.size ?? 0) >= start else { throw .changed }
        do throws(POSIXError) {
            if start == 0 {
                record = isResumable ? newRecord : nil
                SystemFile.delete(recordPath)
            }
            try file.truncate(to: start)
            if start == 0 { try record?.write(to: recordPath) }
        } catch {
            throw .system(error)
        }
    }

    /// Opens the file, which may exist already, unless it is open.
    private func lockedFile() throws(Failure) -> SystemFile {
        if let file { return file }
        do throws(POSIXError) {
            file = try SystemFile.locked(url.path)
        } catch {
            throw .system(error)
        }
        guard let file else { throw .inUse }
        file.setMode(0o600)
        return file
    }

    func append(_ data: Data) throws(POSIXError) { try file?.append(data) }

    /// Moves the complete file durably, replacing another one of that name.
    func move(to path: String, mode: UInt16?) throws(POSIXError) {
        guard let file else { return }
        if let mode { file.setMode(mode) }
        do throws(POSIXError) {
            try file.moveDurably(from: url.path, to: path)
        } catch {
            file.setMode(0o600)
            throw error
        }
        release()
        SystemFile.delete(recordPath)
    }

    /// Reads the file in parts.
    func forEachPart(_ body: (Data) throws -> Void) throws {
        guard let file, let size = file.status?.size else { return }
        for start in stride(from: 0, to: size, by: 1 << 20) {
            try body(try file.read(Int(min(1 << 20, size - start)), at: start))
        }
    }

    /// Closes the file, and deletes it unless it can be continued.
    func close() {
        guard file != nil else { return }
        if isResumable { release() } else { delete() }
    }

    /// Deletes the file and its record.
    func delete() {
        SystemFile.delete(recordPath)
        SystemFile.delete(url.path)
        release()
    }

    private func release() {
        file?.unlock()
        file = nil
    }

    /// Forgets what the bytes are of, so that they are not continued.
    func forget() { record = nil }
}
