import Foundation
import HTTPMessages

/// The delimiter of a multipart body: a line break, two hyphens and the boundary (RFC 2046, section 5.1.1).
///
/// The line break may be CRLF or LF alone. The search is for LF and what follows it, so a pattern has one LF only, at
/// its start, and the search takes linear time for every input.
struct MultipartDelimiter: Sendable {
    enum Scan: Equatable {
        /// No delimiter; the first `count` bytes are content, the rest may be the start of a delimiter.
        case content(count: Int)
        /// A delimiter from the end of the content up to `end`; `isLast` for the final one.
        case delimiter(content: Int, end: Int, isLast: Bool)
    }

    private enum LineEnd {
        case complete(end: Int, isLast: Bool), incomplete, other
    }

    /// Maximum blanks after the boundary on its line; a line with more is content.
    private static let maximumPadding = 64

    private let search: ByteSearch
    /// The delimiter without its line break.
    var line: ArraySlice<UInt8> { search.pattern.dropFirst() }

    init(boundary: String) throws(StreamDecodingError) {
        let bytes = Array(boundary.utf8)
        guard (1...70).contains(bytes.count), bytes.allSatisfy({ 0x20...0x7E ~= $0 }), bytes.last != 0x20 else {
            throw StreamDecodingError(
                .invalidBoundary,
                "Invalid multipart boundary of \(bytes.count) bytes; it must have 1 to 70 printable ASCII characters "
                    + "and not end with a space (RFC 2046, section 5.1.1).",
                line: 0)
        }
        search = ByteSearch(Array("\n--".utf8) + bytes)
    }

    func scan(_ bytes: UnsafeRawBufferPointer) -> Scan {
        let length = search.pattern.count
        var start = 0
        while let found = search.firstIndex(in: bytes, from: start) {
            let content = found > 0 && bytes[found - 1] == 0x0D ? found - 1 : found
            switch lineEnd(of: bytes, at: found + length) {
            case .complete(let end, let isLast): return .delimiter(content: content, end: end, isLast: isLast)
            case .incomplete: return .content(count: content)
            // A longer line, such as the delimiter of a nested body whose boundary starts with this one.
            case .other: start = found + length
            }
        }
        return .content(count: bytes.count - openCount(bytes))
    }

    /// The bytes at the end that may be the start of a delimiter.
    private func openCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        let tail = bytes.suffix(search.pattern.count - 1)
        guard let feed = tail.lastIndex(of: 0x0A), search.pattern.starts(with: tail[feed...]) else {
            return tail.last == 0x0D ? 1 : 0
        }
        let hasReturn = feed > 0 && bytes[feed - 1] == 0x0D
        return bytes.count - feed + (hasReturn ? 1 : 0)
    }

    private func lineEnd(of bytes: UnsafeRawBufferPointer, at start: Int) -> LineEnd {
        let hyphen = UInt8(ascii: "-")
        guard start < bytes.count else { return .incomplete }
        if bytes[start] == hyphen {
            guard start + 1 < bytes.count else { return .incomplete }
            return bytes[start + 1] == hyphen ? .complete(end: start + 2, isLast: true) : .other
        }
        var index = start
        while index < bytes.count, index - start < Self.maximumPadding, bytes[index].isHTTPWhitespace { index += 1 }
        if index < bytes.count, bytes[index] == 0x0D { index += 1 }
        guard index < bytes.count else { return .incomplete }
        return bytes[index] == 0x0A ? .complete(end: index + 1, isLast: false) : .other
    }
}
