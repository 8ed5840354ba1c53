/// The `Range` field: the bytes of a file that a request asks for (RFC 9110, section 14.2).
///
/// ```swift
/// try request.fields.set(.range, to: RangeField.bytes(1_000...).description)  // bytes=1000-
/// ```
public struct RangeField: Hashable, Sendable, CustomStringConvertible {
    /// A part of the file.
    public enum Part: Hashable, Sendable {
        /// All bytes from an offset: `1000-`.
        case from(Int64)
        /// The bytes of two offsets, and those between: `0-999`.
        case closed(ClosedRange<Int64>)
        /// The last bytes, by their number: `-500`.
        case last(Int64)
    }

    /// The parts, in order; at least one.
    public let parts: [Part]

    private init(_ part: Part) { parts = [part] }

    /// All bytes from an offset; a negative one counts as zero.
    public static func bytes(_ range: PartialRangeFrom<Int64>) -> RangeField {
        RangeField(.from(max(0, range.lowerBound)))
    }

    /// The bytes of two offsets, and those between; negative ones count as zero.
    public static func bytes(_ range: ClosedRange<Int64>) -> RangeField {
        RangeField(.closed(max(0, range.lowerBound)...max(0, range.upperBound)))
    }

    /// The last bytes; a negative number counts as zero.
    public static func last(_ count: Int64) -> RangeField { RangeField(.last(max(0, count))) }

    /// Parses a field value; nil for a malformed one, and for another unit than bytes.
    public init?(parsing text: String) {
        // By bytes: a mark that joins the equals sign would be dropped with its character.
        let bytes = text.utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), text[..<equals].lowercased() == "bytes" else {
            return nil
        }
        var parts: [Part] = []
        for element in bytes[bytes.index(after: equals)...].split(separator: UInt8(ascii: ",")) {
            let element = String(Substring(element)).trimmingHTTPWhitespace
            if element.isEmpty { continue }
            guard let part = Part(element) else { return nil }
            parts.append(part)
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    /// The field value.
    public var description: String { "bytes=" + parts.map(\.text).joined(separator: ", ") }
}

extension RangeField.Part {
    fileprivate init?(_ text: String) {
        let ends = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, _):
            guard let count = ends[1].byteOffset else { return nil }
            self = .last(count)
        case (_, true):
            guard let first = ends[0].byteOffset else { return nil }
            self = .from(first)
        default:
            guard let first = ends[0].byteOffset, let last = ends[1].byteOffset, first <= last else { return nil }
            self = .closed(first...last)
        }
    }

    fileprivate var text: String {
        switch self {
        case .from(let first): "\(first)-"
        case .closed(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .last(let count): "-\(count)"
        }
    }

    /// The offsets of the part in a file; nil if it has none of the part's bytes.
    /// - Parameter length: the number of bytes of the file.
    public func range(inLength length: Int64) -> Range<Int64>? {
        guard length > 0 else { return nil }
        let (first, last) =
            switch self {
            case .from(let first): (first, length - 1)
            case .closed(let range): (range.lowerBound, min(range.upperBound, length - 1))
            case .last(let count): (max(0, length - max(0, count)), length - 1)
            }
        return first >= 0 && first <= last ? first..<(last + 1) : nil
    }
}

extension Substring.UTF8View {
    /// The offset of a byte: digits only, and one less than the largest number, so that the end has a number too.
    var byteOffset: Int64? {
        guard !isEmpty, allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(Substring(self)) else {
            return nil
        }
        return number < .max ? number : nil
    }
}
