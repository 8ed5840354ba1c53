import Foundation

/// Removes from a document what Foundation's parser cannot read safely, in one pass.
///
/// libxml2 compares each attribute of an element with those before it, so that a document of a few megabytes would take
/// minutes: their number is limited. Foundation on Linux traps for a processing instruction without content, such as
/// `<?x?>`: all of them are left out, since OData has none. It also reads on after an error, and would see other tags
/// than the scan after a broken one: a tag that contains `<` is refused. XML allows it neither in tags nor in values.
enum XMLScan {
    private enum State {
        case text
        case tag
        case quoted(UInt8)
    }

    /// Checks a document in an encoding that contains ASCII.
    /// - Parameter limit: maximum number of attributes of an element.
    /// - Returns: the document without processing instructions.
    /// - Throws: ``ODataError`` (`malformed`, `limitExceeded`).
    static func readable(_ data: Data, limit: Int) throws(ODataError) -> Data {
        var instructions: [Range<Int>] = []
        var hasBrokenTag = false
        let isWithinLimit = data.withUnsafeBytes { bytes in
            var (state, count, index) = (State.text, 0, 0)
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                switch state {
                case .text where byte == UInt8(ascii: "<"):
                    guard let end = end(ofSectionAt: index, in: bytes) else {
                        (state, count) = (.tag, 0)
                        continue
                    }
                    let isInstruction = index < bytes.count && bytes[index] == UInt8(ascii: "?")
                    if isInstruction, index > 1 || !isDeclaration(bytes) { instructions.append((index - 1)..<end) }
                    index = end
                case .text: break
                case _ where byte == UInt8(ascii: "<"):
                    hasBrokenTag = true
                    return true
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
        guard !hasBrokenTag else { throw ODataError(.malformed, "The XML document has a tag that contains \"<\".") }
        guard !instructions.isEmpty else { return data }
        var (rest, readable) = (Data(data)[...], Data())
        for instruction in instructions {
            readable.append(rest.prefix(upTo: instruction.lowerBound))
            rest = rest.suffix(from: instruction.upperBound)
        }
        return readable + rest
    }

    /// Whether a document begins with its XML declaration.
    private static func isDeclaration(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: "<?xml".utf8) && bytes.dropFirst(5).first?.isXMLSpace ?? false
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
