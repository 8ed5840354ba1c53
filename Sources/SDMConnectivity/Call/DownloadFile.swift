import Foundation
import HTTPMessages
import Transport

/// The file of a download: a temporary one, which is moved to the destination at the end.
final class DownloadFile {
    private let destination: URL
    private let temporary: URL
    /// True when the temporary file is kept after a failure, to continue it.
    private let isResumable: Bool
    private var handle: FileHandle?
    /// True while there is a temporary file of this download.
    private var isWritten = false
    /// The strong entity tag of the response whose bytes this download has written; nil if there is none.
    private(set) var etag: String?
    /// The number of bytes that an earlier download left.
    private(set) var offset: Int64 = 0

    /// Nil for a response in memory.
    /// - Throws: ``SDMError`` (`fileManagement`).
    init?(_ settings: SDMRequestSettings) throws(SDMError) {
        guard let path = settings.downloadDestinationPath else { return nil }
        destination = URL(filePath: path)
        temporary =
            settings.temporaryFileDownloadPath.map { URL(filePath: $0) }
            ?? DownloadFile.hiddenFile(beside: destination)
        isResumable = settings.allowResumeForFileDownloads && settings.temporaryFileDownloadPath != nil
        if isResumable {
            offset = size
        }
    }

    /// The number of bytes of the temporary file; 0 without one.
    private var size: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: temporary.path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Opens the file for a body.
    /// - Parameters:
    ///   - start: the number of bytes to keep.
    ///   - etag: the entity tag of the response.
    /// - Throws: ``SDMError`` (`fileManagement`), also if the file has become shorter than `start`.
    func open(at start: Int64, etag: String? = nil) throws(SDMError) {
        offset = start
        // A weak tag does not tell whether the bytes are the same.
        self.etag = etag.flatMap { $0.hasPrefix("\"") ? $0 : nil }
        guard size >= start else {
            offset = 0
            throw SDMError(
                .fileManagement,
                "The partial file \(temporary.lastPathComponent.debugDescription) was changed while its download "
                    + "continued; start the download again.")
        }
        try doing("write", temporary) {
            if start == 0 { try Data().write(to: temporary) }
            isWritten = true
            let handle = try FileHandle(forWritingTo: temporary)
            try handle.truncate(atOffset: UInt64(start))
            self.handle = handle
        }
    }

    /// Appends bytes of the body.
    func append(_ data: Data) throws(SDMError) {
        try doing("write", temporary) { try handle?.write(contentsOf: data) }
    }

    /// Moves the complete file to its destination, and replaces an existing one, which stays after a failure.
    func commit() throws(SDMError) {
        try doing("move the download to", destination) {
            try handle?.close()
            handle = nil
            guard temporary.path != destination.path else { return }
            do {
                try Self.replace(destination, with: temporary)
            } catch let error as POSIXError where error.code == .EXDEV {
                try replaceOnOtherVolume()
            }
        }
        isWritten = false
        offset = 0
    }

    /// Renames a file, in one step; a folder is not replaced.
    private static func replace(_ destination: URL, with file: URL) throws {
        guard rename(file.path, destination.path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Copies the temporary file to the folder of the destination first, since no file is renamed across volumes.
    private func replaceOnOtherVolume() throws {
        let copy = Self.hiddenFile(beside: destination)
        do {
            try FileManager.default.copyItem(at: temporary, to: copy)
            try Self.replace(destination, with: copy)
        } catch {
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
        try? FileManager.default.removeItem(at: temporary)
    }

    /// A new name in the folder of a file.
    private static func hiddenFile(beside file: URL) -> URL {
        file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).download")
    }

    /// Closes the file, and deletes it unless it can be continued.
    func abandon() {
        try? handle?.close()
        handle = nil
        if !isResumable, isWritten { try? FileManager.default.removeItem(at: temporary) }
        isWritten = false
    }

    /// Closes the file before another attempt, which continues it if it can be continued.
    func suspend(after count: Int64) {
        let written = offset + count
        abandon()
        offset = isResumable ? written : 0
    }

    /// Forgets the bytes of an earlier download, so that the next attempt loads the whole file.
    func forget() { offset = 0 }

    private func doing(_ action: String, _ file: URL, _ body: () throws -> Void) throws(SDMError) {
        do {
            try body()
        } catch {
            throw SDMError(
                .fileManagement,
                "Cannot \(action) the file \(file.lastPathComponent.debugDescription); check its folder and permissions.",
                underlying: error)
        }
    }
}

/// How a response continues a download.
enum Continuation: Equatable {
    /// The body follows the bytes of the file.
    case appends
    /// The body is the whole file.
    case replaces
    /// The body is not the file's: the file must be loaded from its start.
    case mismatch
    /// The body is not a file, so the partial one is kept and the body is in memory.
    case unrelated

    /// - Parameter offset: the number of bytes that were asked to be left out; 0 if none.
    init(_ head: HTTPResponseHead, offset: Int64) {
        guard offset > 0 else {
            self = .replaces
            return
        }
        switch head.status.code {
        case 416: self = .mismatch
        case 200..<300:
            guard let range = head.fields[.contentRange] else {
                // Without it, the body of a 206 has several parts.
                self = head.status == .partialContent ? .mismatch : .replaces
                return
            }
            // The file has decoded bytes, which the positions of a compressed body do not count.
            let coding = head.decodedContentCodings ?? head.fields[.contentEncoding] ?? "identity"
            let isIdentity = coding.lowercased() == "identity"
            self = isIdentity && Self.isRest(range[...], from: offset) ? .appends : .mismatch
        default: self = .unrelated
        }
    }

    /// True for a `Content-Range` from an offset to the end of the file.
    private static func isRest(_ range: Substring, from offset: Int64) -> Bool {
        guard range.lowercased().hasPrefix("bytes ") else { return false }
        let parts = range.dropFirst(6).split(separator: "/", maxSplits: 1)
        let bounds = parts.first?.split(separator: "-", maxSplits: 1).map { Int64($0) } ?? []
        guard bounds.count == 2, bounds[0] == offset, let last = bounds[1], last >= offset else { return false }
        return parts.count == 1 || parts[1] == "*" || Int64(parts[1]) == last &+ 1
    }
}
