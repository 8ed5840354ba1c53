import Foundation

/// The part of an XML document before its root element, which is scanned without a parser.
struct XMLProlog {
    private var rest: Data.SubSequence

    init(_ data: Data) { rest = data[...] }

    /// Encodings in which `<` and `!` are the bytes of ASCII, so that the scan cannot miss a declaration.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .utf8, "ascii": .utf8, "iso-8859-1": .isoLatin1,
        "windows-1252": .windowsCP1252,
    ]

    /// Checks the encoding, and that there is no document type declaration.
    /// - Returns: the document in UTF-8, all bytes of it valid: Foundation on Linux traps for an element or attribute
    ///   whose name is not.
    /// - Throws: ``ODataError`` (`malformed`, `limitExceeded`).
    consuming func document() throws(ODataError) -> Data {
        skip("\u{FEFF}")
        var (document, encoding) = (rest, String.Encoding.utf8)
        // Other instructions, such as `<?xml-stylesheet`, declare no encoding of the document.
        if rest.starts(with: "<?xml".utf8), rest.dropFirst(5).first?.isXMLSpace ?? true {
            // Bounded, and all of it: an encoding that the scan does not see could hide the declaration.
            guard let end = rest.prefix(256).range(of: Data("?>".utf8)) else {
                throw ODataError(.malformed, "The XML declaration is longer than 256 bytes, or has no end.")
            }
            let declaration = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            let name = declaration.firstMatch(of: #/encoding\s*=\s*["']([^"']*)["']/#)?.1.lowercased() ?? "utf-8"
            guard let known = Self.encodings[name] else {
                throw ODataError(
                    .malformed, "Unsupported XML encoding \(name.prefix(40).debugDescription); use UTF-8.")
            }
            // Without the declaration: the parser reads UTF-8.
            if known != .utf8 { (document, encoding) = (rest[end.upperBound...], known) }
        }
        try checkDeclarations()
        if encoding != .utf8 {
            guard let text = String(data: document, encoding: encoding) else {
                throw ODataError(.malformed, "The XML document has bytes that its encoding does not have; use UTF-8.")
            }
            return Data(text.utf8)
        }
        guard document.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) != nil else {
            throw ODataError(
                .malformed, "The XML document has bytes that are not UTF-8; declare its encoding, or use UTF-8.")
        }
        return document
    }

    /// Reads up to the root element.
    private mutating func checkDeclarations() throws(ODataError) {
        while true {
            rest = rest.drop(while: \.isXMLSpace)
            if rest.starts(with: "<?".utf8) {
                skip("<?")
                skip(past: "?>")
            } else if rest.starts(with: "<!--".utf8) {
                // `<!-->` is no whole comment.
                skip("<!--")
                skip(past: "-->")
            } else if rest.starts(with: "<!".utf8) {
                throw ODataError(
                    .limitExceeded,
                    "The XML document has a document type declaration, which OData does not allow and which may define "
                        + "expanding entities.")
            } else if rest.first == UInt8(ascii: "<") {
                return
            } else {
                throw ODataError(.malformed, rest.isEmpty ? "The XML document is empty." : "The body is not XML.")
            }
        }
    }

    private mutating func skip(_ text: String) {
        if rest.starts(with: text.utf8) { rest = rest.dropFirst(text.utf8.count) }
    }

    /// Skips to the end of a construct; to the end of the document if it has none.
    private mutating func skip(past end: String) {
        rest = rest.range(of: Data(end.utf8)).map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
    }
}

extension UInt8 {
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
