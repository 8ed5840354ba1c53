import Foundation

/// Counts the attributes of each start tag before the parser sees them, in one pass.
///
/// libxml2 compares each attribute of an element with those before it, so that a document of a few megabytes would take
/// minutes.
enum XMLAttributeScan {
    private enum State {
        case text
        case tag
        case quoted(UInt8)
    }

    /// Checks a document in an encoding that contains ASCII.
    /// - Throws: ``ODataError`` (`limitExceeded`).
    static func check(_ data: Data, limit: Int) throws(ODataError) {
        let isWithinLimit = data.withUnsafeBytes { bytes in
            var (state, count, index) = (State.text, 0, 0)
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                switch state {
                case .text where byte == UInt8(ascii: "<"):
                    if let end = end(ofSectionAt: index, in: bytes) { index = end } else { (state, count) = (.tag, 0) }
                case .text: break
                case .tag where byte == UInt8(ascii: ">"): state = .text
                case .tag where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"): state = .quoted(byte)
                case .tag where byte == UInt8(ascii: "="):
                    count += 1
                    if count > limit { return false }
                case .tag: break
                case .quoted(let quote): if byte == quote { state = .tag }
                }
            }
            return true
        }
        guard isWithinLimit else {
            throw ODataError(.limitExceeded, "An XML element has more than \(limit) attributes.")
        }
    }

    /// The end of a comment, a CDATA section or a processing instruction that starts before an index; nil for a tag.
    private static func end(ofSectionAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        let rest = bytes[start...]
        for (mark, end) in [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")] where rest.starts(with: mark.utf8) {
            let (mark, end) = (mark.utf8.count, Array(end.utf8))
            var index = start + mark
            while index + end.count <= bytes.count {
                if bytes[index..<(index + end.count)].elementsEqual(end) { return index + end.count }
                index += 1
            }
            return bytes.count
        }
        return nil
    }
}
