import HTTPMessages

/// Splits the lines of a header field that URLSession has joined with `", "`.
///
/// Only list-based fields may be joined (RFC 9110, section 5.3), but URLSession joins all. Other fields are split again
/// by a heuristic, since a joining comma looks like one in a value.
struct JoinedLines {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The lines of a field; those of list-based fields stay joined.
    func lines(of name: HTTPFieldName) -> [Substring] {
        switch name {
        case .setCookie: cookies
        case .location: locations
        default: [text[...]]
        }
    }

    /// The lines of `Set-Cookie`.
    ///
    /// A comma separates two cookies when a blank, a name and an equals sign follow it. Dates contain no such comma,
    /// and quoted values are never split. A value with a comma that looks like another cookie is split wrongly. A
    /// cookie without a name stays part of the value before it.
    private var cookies: [Substring] {
        let bytes = text.utf8
        var values: [Substring] = []
        var start = text.startIndex
        var position = text.startIndex
        while position < text.endIndex {
            switch bytes[position] {
            case UInt8(ascii: ","):
                let rest = bytes[bytes.index(after: position)...]
                guard rest.startsCookie else { break }
                values.append(text[start..<position])
                start = rest.startIndex
            case UInt8(ascii: "="):
                let rest = bytes[bytes.index(after: position)...]
                if rest.first == UInt8(ascii: "\""),
                    let end = rest.dropFirst().firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ";") }
                    ),
                    bytes[end] == UInt8(ascii: "\"")
                {
                    position = end
                }
            default: break
            }
            position = bytes.index(after: position)
        }
        values.append(text[start...])
        return values
    }

    /// The lines of `Location`; a comma separates two URLs when a blank and an absolute URL or path follow it.
    private var locations: [Substring] {
        var values: [Substring] = []
        var rest = text[...]
        var start = rest.startIndex
        while let comma = rest.firstRange(of: ", ") {
            rest = rest[comma.upperBound...]
            guard rest.startsLocation else { continue }
            values.append(text[start..<comma.lowerBound])
            start = rest.startIndex
        }
        values.append(text[start...])
        return values
    }
}

extension Substring {
    fileprivate var startsLocation: Bool {
        utf8.first == UInt8(ascii: "/") || ["http://", "https://"].contains { prefix($0.count).lowercased() == $0 }
    }
}

extension Substring.UTF8View {
    /// True when the text starts with a blank, a name and an equals sign.
    fileprivate var startsCookie: Bool {
        guard let first, first.isHTTPWhitespace else { return false }
        let name = drop(while: \.isHTTPWhitespace)
        guard let end = name.firstIndex(where: { !$0.isCookieNameByte }), end > name.startIndex else { return false }
        return name[end...].drop(while: \.isHTTPWhitespace).first == UInt8(ascii: "=")
    }
}

extension UInt8 {
    /// True for bytes of cookie names as servers send them, which are not always tokens.
    fileprivate var isCookieNameByte: Bool {
        self > 0x20 && self != 0x7F && self != UInt8(ascii: "=") && self != UInt8(ascii: ";")
            && self != UInt8(ascii: ",") && self != UInt8(ascii: "\"")
    }
}
