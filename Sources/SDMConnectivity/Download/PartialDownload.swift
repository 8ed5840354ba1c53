import Foundation
import HTTPMessages
import SystemLibraries
import Transport

/// The temporary file of a download under a name of the app, with the record of what its bytes are.
final class PartialDownload {
    enum Failure: Error {
        /// Another download has locked the file.
        case inUse
        /// The file has become shorter than the part to keep, or is another one.
        case changed
        case system(POSIXError)
    }

    let url: URL
    /// True when the file is kept after a failure, to continue it.
    private let isResumable: Bool
    private let recordPath: String
    /// What the bytes of the file are of; nil if that is not known.
    private(set) var record: DownloadRecord?
    private var file: ResumableFile?

    init(_ url: URL, isResumable: Bool) {
        self.url = url
        self.isResumable = isResumable
        recordPath = url.path + ".patchbay-record"
        record = isResumable ? DownloadRecord(at: recordPath) : nil
    }

    /// The number of bytes that a request can continue: those of its URL and user, unless the app demands another
    /// version.
    func offset(for message: HTTPMessages.HTTPRequest, as user: String?) -> Int64 {
        guard let record, record.url == message.url.absoluteString, message.method == .get,
            record.isOf(user.map { CachePartition($0) }),
            [nil, record.entityTag].contains(message.fields[.ifRange]),
            let size = try? FileStatus(at: url.path).size, size < record.length
        else { return 0 }
        return size
    }

    /// Opens and locks the file, unless it is open, and keeps its first bytes.
    /// - Parameter newRecord: what the bytes of a whole file are of; nil if they cannot be continued.
    func open(at start: Int64, _ newRecord: DownloadRecord?) throws(Failure) {
        if file == nil { file = try doing { () throws(POSIXError) in try ResumableFile(url.path, record: recordPath) } }
        guard let file else { throw .inUse }
        // Before it was locked, another process may have continued or replaced it.
        guard start == 0 || file.size >= start && file.record == record else { throw .changed }
        if start == 0 { record = isResumable ? newRecord : nil }
        try doing { () throws(POSIXError) in try file.begin(at: start, record) }
    }

    private func doing<Result>(_ calls: () throws(POSIXError) -> Result) throws(Failure) -> Result {
        do throws(POSIXError) { return try calls() } catch { throw .system(error) }
    }

    func append(_ data: Data) throws(POSIXError) { try file?.append(data) }

    /// Moves the complete file durably, replacing another one of that name.
    func move(to path: String, mode: UInt16?) throws(POSIXError) {
        try file?.move(to: path, mode: mode)
        file = nil
    }

    /// Reads the file in parts.
    func forEachPart(_ body: (Data) throws -> Void) throws { try file?.forEachPart(body) }

    /// Closes the file, and deletes it unless it can be continued.
    func close() {
        if !isResumable { file?.delete() }
        file = nil
    }

    /// Deletes the file and its record.
    func delete() {
        file?.delete()
        file = nil
        record = nil
    }

    /// Forgets what the bytes are of, so that they are not continued.
    func forget() { record = nil }
}
