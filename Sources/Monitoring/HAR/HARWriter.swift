public import Foundation
public import HTTPMessages
import JSON
import Synchronization
import SystemLibraries

/// Writes an HTTP archive (HAR 1.2) entry by entry, without secrets, in bounded memory.
///
/// ```swift
/// let writer = try HARWriter(file)
/// try writer.append(HAREntry(request, .success(response), startedAt: start))
/// try writer.close()
/// ```
///
/// After each call the file is a valid archive: an entry is written together with the end of the archive, over the end
/// before it. If the process is killed, the file has all entries but perhaps the last, of which a part may be there;
/// ``HARReader`` returns those before it. If the machine fails, what was not yet on the disk is lost; ``close()`` waits
/// for the disk.
///
/// The methods may be called on any thread, and block it for the time of writing. One writer at a time has the file; a
/// new one replaces the content.
public final class HARWriter: Sendable {
    /// Limits of what is written.
    public struct Limits: Hashable, Sendable {
        /// Maximum bytes of each body; a longer one is cut. Default 256 KiB.
        public var bodyBytes: Int
        /// Maximum bytes of the file; entries beyond it are dropped and counted. Default 1 GiB.
        public var fileBytes: Int64

        /// Creates limits.
        public init(bodyBytes: Int = 256 << 10, fileBytes: Int64 = 1 << 30) {
            self.bodyBytes = bodyBytes
            self.fileBytes = fileBytes
        }
    }

    private struct State {
        let file: SystemFile
        var redactor: HARRedactor
        /// The position of the end of the archive, which the next entry replaces.
        var position: Int64
        var entryCount = 0
        var droppedCount = 0
        var failure: HARError?
        var isClosed = false

        /// Writes the end of the archive again after a failure, if the disk allows it.
        func restoreEnd(_ end: String) {
            try? file.truncate(to: position)
            try? file.write(Data(end.utf8), at: position)
        }
    }

    /// The end of the array of entries; the end of the archive follows.
    private static let end = "\n]"
    let limits: Limits
    private let state: Mutex<State>

    /// Opens a file, and replaces its content by an archive without entries.
    /// - Parameters:
    ///   - file: created if it does not exist, readable by its owner only; its folder must exist.
    ///   - creator: the name of the app.
    ///   - redaction: the names of secrets, whose values are replaced.
    /// - Throws: ``HARError`` (`fileInUse`, `unwritableFile`).
    public init(
        _ file: URL, creator: String = "Patchbay", creatorVersion: String = "", redaction: Redaction = .standard,
        limits: Limits = Limits()
    ) throws(HARError) {
        self.limits = limits
        let head = JSONValue.object(["name": .string(creator), "version": .string(creatorVersion)])
        let text = "{\"log\":{\"version\":\"1.2\",\"creator\":\(head),\"pages\":[],\"entries\":["
        do {
            guard let opened = try SystemFile.locked(file.path) else {
                throw HARError(.fileInUse, "Another writer has the file open; close it, or use another file.")
            }
            try opened.truncate(to: 0)
            try opened.write(Data((text + Self.end + "}}\n").utf8), at: 0)
            state = Mutex(
                State(file: opened, redactor: HARRedactor(redaction), position: Int64(text.utf8.count)))
        } catch let error as HARError {
            throw error
        } catch {
            throw .unwritable(error)
        }
    }

    deinit { try? close() }

    /// The number of entries in the file.
    public var entryCount: Int { state.withLock(\.entryCount) }
    /// The number of entries that were dropped because of ``Limits/fileBytes``.
    public var droppedCount: Int { state.withLock(\.droppedCount) }

    /// The error of the last entry that could not be written; nil if all could.
    public var lastFailure: HARError? { state.withLock(\.failure) }

    /// Appends an entry, without its secrets.
    /// - Throws: ``HARError`` (`unwritableFile`, `closed`); the file has the entries before then.
    public func append(_ entry: HAREntry) throws(HARError) {
        let failure = state.withLock { state -> HARError? in
            guard !state.isClosed else { return HARError(.closed, "The writer is closed; open another one.") }
            var redacted = state.redactor.redacted(entry)
            redacted.cutBodies(to: limits.bodyBytes)
            let bytes: Data
            let next: Int64
            do throws(JSONError) {
                var buffer = try ByteBuffer(capacity: 8 << 10)
                try buffer.append(state.entryCount == 0 ? "\n" : ",\n")
                try redacted.write(to: &buffer)
                try buffer.append(Self.end + "}}\n")
                bytes = buffer.data()
                next = state.position + Int64(bytes.count - Self.end.utf8.count - 3)
            } catch {
                return HARError(.unwritableFile, "Out of memory for the entry.", underlying: error)
            }
            guard next + 100 <= limits.fileBytes else {
                state.droppedCount += 1
                return nil
            }
            do throws(POSIXError) {
                try state.file.write(bytes, at: state.position)
            } catch {
                state.restoreEnd(Self.end + "}}\n")
                return .unwritable(error)
            }
            state.position = next
            state.entryCount += 1
            return nil
        }
        if let failure {
            state.withLock { $0.failure = failure }
            throw failure
        }
    }

    /// Ends the archive, waits until it is on the disk, and releases the file. Further calls have no effect.
    ///
    /// If entries were dropped, the comment of the archive has their number.
    /// - Throws: ``HARError`` (`unwritableFile`).
    public func close() throws(HARError) {
        let failure = state.withLock { state -> HARError? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { state.file.unlock() }
            do throws(POSIXError) {
                if state.droppedCount > 0 {
                    let comment = "\(state.droppedCount) entries were dropped: the file has reached its limit."
                    try state.file.write(Data("\(Self.end),\"comment\":\"\(comment)\"}}\n".utf8), at: state.position)
                }
                try state.file.synchronize()
                return nil
            } catch {
                return .unwritable(error)
            }
        }
        if let failure { throw failure }
    }
}

extension HARError {
    fileprivate static func unwritable(_ error: any Error) -> HARError {
        HARError(.unwritableFile, "The archive cannot be written; check its folder and the disk.", underlying: error)
    }
}

extension HAREntry {
    /// Cuts bodies that are longer than a number of bytes in the archive.
    fileprivate mutating func cutBodies(to limit: Int) {
        let limit = max(0, limit)
        if let start = request.postData?.text?.start(bytes: limit, isBase64: request.postData?.encoding != nil) {
            request.postData?.text = start.text
            request.postData?.comment = start.comment
        }
        if let start = response.content.text?.start(bytes: limit, isBase64: response.content.encoding != nil) {
            response.content.text = start.text
            response.content.comment = start.comment
        }
    }
}

extension String {
    /// The start of a body: whole characters, or whole groups of Base64.
    /// - Parameter limit: the most bytes of the body, which Base64 writes as a third more.
    /// - Returns: nil for a body that is not longer.
    fileprivate func start(bytes limit: Int, isBase64: Bool) -> (text: String, comment: String)? {
        if isBase64 {
            guard utf8.count * 3 / 4 > limit else { return nil }
            let digits = utf8.filter { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "=") }
            guard digits.count * 3 / 4 > limit else { return nil }
            let start = digits.prefix(limit / 3 * 4)
            return (String(decoding: start, as: UTF8.self), "Cut at \(limit / 3 * 3) bytes.")
        }
        guard utf8.count > limit else { return nil }
        var start = Array(utf8.prefix(limit))
        while let last = start.last, last >= 0x80, String(validating: start, as: UTF8.self) == nil {
            start.removeLast()
        }
        return (String(decoding: start, as: UTF8.self), "Cut at \(start.count) bytes.")
    }
}
