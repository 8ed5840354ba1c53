public import Foundation

/// Reads a body from its start to its end, without waiting for anything but the local disk.
///
/// To make a body of your own kind, implement `read(atMost:)` and hand a factory to ``HTTPBody/generated(length:makeReader:)``.
/// A reader is used by one thread at a time.
public protocol HTTPBodyReader: AnyObject {
    /// The next bytes.
    /// - Parameter count: how many at the most, at least 1.
    /// - Returns: one to `count` bytes, or nil at the end and ever after.
    func read(atMost count: Int) throws -> Data?
}

/// Reads bytes in memory.
final class DataReader: HTTPBodyReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    func read(atMost count: Int) -> Data? {
        guard !rest.isEmpty else { return nil }
        let piece = rest.prefix(max(1, count))
        rest = rest.dropFirst(piece.count)
        return piece
    }
}

/// A regular file and the bytes of it that count.
package struct FileSource: Sendable {
    package let url: URL
    package let range: Range<Int64>

    init(url: URL, range: Range<Int64>?) throws(HTTPMessageError) {
        let problem = Self.label(of: url)
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard url.isFileURL, let attributes else {
            throw HTTPMessageError(.unreadableFile, "\(problem) does not exist, or its URL is not a file URL.")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber else {
            throw HTTPMessageError(.unreadableFile, "\(problem) is not a regular file.")
        }
        guard FileManager.default.isReadableFile(atPath: url.path) else {
            throw HTTPMessageError(.unreadableFile, "\(problem) is not readable: permission denied.")
        }
        let range = range ?? 0..<size.int64Value
        guard range.lowerBound >= 0, range.upperBound <= size.int64Value else {
            throw HTTPMessageError(.unreadableFile, "\(problem) is shorter than the requested byte range.")
        }
        self.url = url
        self.range = range
    }

    /// The file as the start of a sentence.
    var label: String { Self.label(of: url) }

    private static func label(of url: URL) -> String { "The file \(url.lastPathComponent.debugDescription)" }
}

/// Reads a file piece by piece.
final class FileReader: HTTPBodyReader {
    private let handle: FileHandle
    private let file: FileSource
    private var remaining: Int64

    init(_ file: FileSource) throws(HTTPMessageError) {
        self.file = file
        remaining = file.range.upperBound - file.range.lowerBound
        do {
            handle = try FileHandle(forReadingFrom: file.url)
            try handle.seek(toOffset: UInt64(file.range.lowerBound))
        } catch {
            throw HTTPMessageError(.unreadableFile, "\(file.label) can no longer be opened.")
        }
    }

    deinit { try? handle.close() }

    func read(atMost count: Int) throws -> Data? {
        guard remaining > 0 else { return nil }
        guard let data = try handle.read(upToCount: Int(min(Int64(max(1, count)), remaining))), !data.isEmpty else {
            throw HTTPMessageError(.bodyLengthMismatch, "\(file.label) was truncated while it was sent.")
        }
        remaining -= Int64(data.count)
        return data
    }
}

/// Reads bodies one after the other; each is opened when its turn comes.
final class SequenceReader: HTTPBodyReader {
    private var bodies: ArraySlice<HTTPBody>
    private var current: (any HTTPBodyReader)?

    init(_ bodies: [HTTPBody]) { self.bodies = bodies[...] }

    func read(atMost count: Int) throws -> Data? {
        while true {
            if let data = try current?.read(atMost: count) { return data }
            guard let next = bodies.popFirst() else { return nil }
            current = try next.makeReader()
        }
    }
}
