/// The `Content-Range` field: which bytes of a file a response has (RFC 9110, section 14.4).
public struct ContentRange: Hashable, Sendable, CustomStringConvertible {
    /// The offsets of the bytes; nil in a response of status 416, which has none.
    public let range: Range<Int64>?
    /// The number of bytes of the file; nil if it is not known.
    public let length: Int64?

    /// Parses a field value such as `bytes 0-99/1000`; nil for a malformed one, and for another unit than bytes.
    public init?(parsing text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let isUnknown = parts[1].elementsEqual("*".utf8)
        length = isUnknown ? nil : parts[1].byteOffset
        guard isUnknown || length != nil else { return nil }
        guard !parts[0].elementsEqual("*".utf8) else {
            guard !isUnknown else { return nil }
            range = nil
            return
        }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ends[0].byteOffset, let last = ends[1].byteOffset, first <= last,
            length.map({ last < $0 }) ?? true
        else { return nil }
        range = first..<(last + 1)
    }

    /// The field value.
    public var description: String {
        let bytes = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
        return "bytes \(bytes)/\(length.map(String.init) ?? "*")"
    }
}
