import Coordination
import Foundation
import HTTPMessages
import SystemLibraries
import Transport

/// The file of a download: a temporary one of mode 0600, which is moved to the destination at the end.
///
/// A resumable one has the app's name, and a `DownloadRecord` beside it, which tells of what its bytes are. The record
/// is deleted before bytes that it does not describe are written, and written before those that it describes.
final class DownloadFile {
    private let destination: URL
    private let partial: PartialDownload?
    /// The file in the folder of the destination, without a name by the app; nil before it is opened.
    private var hidden: HeldFile?
    /// The number of bytes of an earlier attempt that the current one continues; 0 for the whole file.
    private(set) var offset: Int64 = 0

    /// Nil for a response in memory.
    init?(_ settings: SDMRequestSettings) {
        guard let path = settings.downloadDestinationPath else { return nil }
        destination = URL(filePath: path)
        partial = settings.temporaryFileDownloadPath.map {
            PartialDownload(URL(filePath: $0), isResumable: settings.allowResumeForFileDownloads)
        }
        HeldFile.deleteAbandonedOnce(in: destination.deletingLastPathComponent(), kind: Self.kind)
    }

    private static let kind = "download"

    /// What the bytes of the file are of; nil if they cannot be continued.
    var record: DownloadRecord? { offset > 0 ? partial?.record : nil }

    /// Asks for the rest of the file, if its bytes begin a version of this URL for this user.
    /// - Parameter user: the user of the request; nil if that is not known.
    func addRange(to message: inout HTTPMessages.HTTPRequest, as user: String? = nil) throws(HTTPMessageError) {
        offset = partial?.offset(for: message, as: user) ?? 0
        guard let record else { return }
        try message.fields.set(.range, to: "bytes=\(offset)-")
        try message.fields.set(.ifRange, to: record.entityTag)
        // Also if the app accepts others: the file has decoded bytes.
        try message.fields.set(.acceptEncoding, to: "identity")
    }

    /// Opens the file for a body.
    /// - Parameters:
    ///   - start: the number of bytes to keep.
    ///   - record: what the bytes of a whole file are of; nil if they cannot be continued.
    /// - Throws: ``SDMError`` (`fileManagement`), also if the file has become shorter than `start`.
    func open(at start: Int64, _ record: DownloadRecord? = nil) throws(SDMError) {
        offset = start
        guard let partial else {
            return try doing("write", destination) {
                let file = try hidden ?? HeldFile(in: destination.deletingLastPathComponent(), kind: Self.kind)
                hidden = file
                try file.truncate(to: 0)
            }
        }
        do throws(PartialDownload.Failure) {
            try partial.open(at: start, record)
        } catch {
            offset = 0
            throw switch error {
            case .inUse:
                SDMError(
                    .fileManagement,
                    "Another download uses the file \(partial.url.lastPathComponent.debugDescription); wait for its end, or "
                        + "set another `temporaryFileDownloadPath`.")
            case .changed:
                SDMError(
                    .fileManagement,
                    "The partial file \(partial.url.lastPathComponent.debugDescription) was changed while its download "
                        + "continued; start the download again.")
            case .system(let error): Self.failure("write", partial.url, error)
            }
        }
    }

    /// Appends bytes of the body.
    func append(_ data: Data) throws(SDMError) {
        try doing("write", partial?.url ?? destination) {
            try hidden?.append(data)
            try partial?.append(data)
        }
    }

    /// Moves the complete file to its destination, and replaces an existing one, which stays after a failure.
    func commit() throws(SDMError) {
        try doing("move the download to", destination) {
            let mode = SystemFile.mode(replacing: destination.path)
            try hidden?.move(to: destination.path, mode: mode, isDurable: true)
            hidden = nil
            do {
                try partial?.move(to: destination.path, mode: mode)
            } catch let error as POSIXError where error.code == .EXDEV {
                try replaceOnOtherVolume(mode)
            }
        }
        offset = 0
    }

    /// Copies the partial file to the folder of the destination first, since no file is renamed across volumes.
    private func replaceOnOtherVolume(_ mode: UInt16?) throws {
        guard let partial else { return }
        let copy = try HeldFile(in: destination.deletingLastPathComponent(), kind: Self.kind)
        do {
            try partial.forEachPart { try copy.append($0) }
            try copy.move(to: destination.path, mode: mode, isDurable: true)
        } catch {
            copy.delete()
            throw error
        }
        partial.delete()
    }

    /// Closes the file, and deletes it unless it can be continued.
    func abandon() {
        hidden?.delete()
        hidden = nil
        partial?.close()
        offset = 0
    }

    /// Deletes the file, whose bytes must not be continued.
    func delete() {
        hidden?.delete()
        hidden = nil
        partial?.delete()
        offset = 0
    }

    /// Forgets the bytes of an earlier download, so that the next attempt loads the whole file.
    func forget() { partial?.forget() }

    private func doing(_ action: String, _ file: URL, _ body: () throws -> Void) throws(SDMError) {
        do {
            try body()
        } catch {
            throw Self.failure(action, file, error)
        }
    }

    private static func failure(_ action: String, _ file: URL, _ error: any Error) -> SDMError {
        SDMError(
            .fileManagement,
            "Cannot \(action) the file \(file.lastPathComponent.debugDescription); check its folder and permissions.",
            underlying: error)
    }
}

extension DownloadRecord {
    /// The record of a response whose bytes can be continued: one with a strong entity tag, a length and no coding.
    init?(describing head: HTTPResponseHead, of message: HTTPMessages.HTTPRequest, as user: String? = nil) {
        guard head.status == .ok, let tag = head.strongEntityTag, let length = head.declaredLength, length > 0,
            (head.decodedContentCodings ?? head.fields[.contentEncoding] ?? "identity").lowercased() == "identity",
            head.fields[.acceptRanges]?.lowercased() != "none"
        else { return nil }
        self.init(
            url: message.url.absoluteString, entityTag: tag, length: length, user: user.map { CachePartition($0) })
    }
}
