package import Foundation

/// Writes an Atom entry with properties, as OData 2 expects it in a request body.
package enum AtomWriter {
    /// The media type of the body.
    package static let mediaType = "application/atom+xml"

    /// Returns an entry.
    /// - Parameter properties: values by name; nil is written as null. Sorted by name.
    /// - Throws: ``ODataError`` (`malformed`) for a name that is not an XML name, and for characters that XML does not
    ///   allow.
    package static func entry(_ properties: [String: String?]) throws(ODataError) -> Data {
        var text = """
            <?xml version="1.0" encoding="utf-8"?>
            <entry xmlns="\(XMLNamespace.atom)" xmlns:m="\(XMLNamespace.metadata)" xmlns:d="\(XMLNamespace.data)">\
            <content type="application/xml"><m:properties>
            """
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            guard isName(name) else {
                throw ODataError(
                    .malformed,
                    "Invalid property name \(name.prefix(40).debugDescription); use letters, digits, _ and -.")
            }
            if let value {
                text += "<d:\(name)>\(try escaped(value, of: name))</d:\(name)>"
            } else {
                text += "<d:\(name) m:null=\"true\"/>"
            }
        }
        return Data((text + "</m:properties></content></entry>\n").utf8)
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy {
            $0 == "_" || $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType == .decimal
        }
    }

    private static func escaped(_ value: String, of name: String) throws(ODataError) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // Parsers turn a plain one into a line feed.
            case "\r": escaped += "&#13;"
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
                throw ODataError(
                    .malformed, "The value of \(name) has a control character, which XML does not allow.", element: name
                )
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
