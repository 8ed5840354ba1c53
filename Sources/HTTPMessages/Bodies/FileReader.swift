package import Foundation

/// A byte range of a regular file.
package struct FileSource: Sendable {
    package let url: URL
    package let range: Range<Int64>

    init(url: URL, range: Range<Int64>?) throws(HTTPMessageError) {
        let name = Self.name(of: url)
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard url.isFileURL, let attributes else {
            throw HTTPMessageError(.unreadableFile, "No such file: \(name), or the URL is not a file URL.")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber else {
            throw HTTPMessageError(.unreadableFile, "Not a regular file: \(name); use one as the body.")
        }
        guard FileManager.default.isReadableFile(atPath: url.path) else {
            throw HTTPMessageError(.unreadableFile, "Permission denied: \(name); let the process read the file.")
        }
        let range = range ?? 0..<size.int64Value
        guard range.lowerBound >= 0, range.upperBound <= size.int64Value else {
            throw HTTPMessageError(
                .unreadableFile, "Byte range \(range) is not within the \(size) bytes of the file \(name).")
        }
        self.url = url
        self.range = range
    }

    /// The quoted file name, without its folder, for error messages.
    var name: String { Self.name(of: url) }

    private static func name(of url: URL) -> String { url.lastPathComponent.debugDescription }
}

/// Reads a file in pieces.
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
            throw HTTPMessageError(.unreadableFile, "Cannot open file: \(file.name) (\(error.localizedDescription)).")
        }
    }

    deinit { try? handle.close() }

    // Not by the handle's method, which on Linux makes a system call for each 4 KiB.
    func read(atMost count: Int) throws -> Data? {
        guard remaining > 0 else { return nil }
        let size = Int(min(Int64(max(1, count)), remaining))
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        var result: Int
        repeat { result = Foundation.read(handle.fileDescriptor, memory, size) } while result < 0 && errno == EINTR
        guard result > 0 else {
            let problem = result == 0 ? nil : String(cString: strerror(errno))
            memory.deallocate()
            if let problem {
                throw HTTPMessageError(.unreadableFile, "Cannot read file: \(file.name) (\(problem)).")
            }
            throw HTTPMessageError(
                .bodyLengthMismatch,
                "File truncated while it was sent: \(file.name); send a file that no longer changes.")
        }
        remaining -= Int64(result)
        return Data(bytesNoCopy: memory, count: result, deallocator: .custom { memory, _ in memory.deallocate() })
    }
}
