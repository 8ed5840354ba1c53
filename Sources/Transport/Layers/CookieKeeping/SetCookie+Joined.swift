import HTTPMessages

extension SetCookie {
    /// The values of several `Set-Cookie` fields that an engine has joined by `", "`, which may not be done (RFC 9110,
    /// section 5.3) and is.
    ///
    /// A comma parts two cookies when a blank, a name and an equals sign follow it. That is not so in a date, and in a
    /// value only where it looks just like another cookie; within quotes that enclose a value, nothing is parted. A
    /// cookie without a name after a comma cannot be told from a part of the value before it.
    static func values(ofJoined text: String) -> [Substring] {
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
}

extension Substring.UTF8View {
    /// True when a blank, a name and an equals sign come first.
    fileprivate var startsCookie: Bool {
        guard let first, first.isHTTPBlank else { return false }
        let name = drop(while: \.isHTTPBlank)
        guard let end = name.firstIndex(where: { !$0.isCookieNameByte }), end > name.startIndex else { return false }
        return name[end...].drop(while: \.isHTTPBlank).first == UInt8(ascii: "=")
    }
}

extension UInt8 {
    /// What stands in names that servers use, which are not all tokens.
    fileprivate var isCookieNameByte: Bool {
        self > 0x20 && self != 0x7F && self != UInt8(ascii: "=") && self != UInt8(ascii: ";")
            && self != UInt8(ascii: ",") && self != UInt8(ascii: "\"")
    }
}
