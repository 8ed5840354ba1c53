// What the search for secrets asks of bytes.

extension [UInt8] {
    /// The first index from a position on whose byte is of a kind.
    func index(from start: Int, where isOfKind: (UInt8) -> Bool) -> Int? {
        let found = end(of: { !isOfKind($0) }, from: start)
        return found < count ? found : nil
    }

    /// The end of the bytes of a kind from a position on.
    func end(of isOfKind: (UInt8) -> Bool, from start: Int) -> Int {
        var index = start
        while index < count, isOfKind(self[index]) { index += 1 }
        return index
    }

    /// The position after the bracket that closes an object or an array; nil without one.
    func bracketEnd(from start: Int) -> Int? {
        var (index, depth) = (start, 0)
        while index < count {
            switch self[index] {
            case .quote:
                guard let end = stringEnd(from: index + 1) else { return nil }
                index = end
            case UInt8(ascii: "["), UInt8(ascii: "{"): (index, depth) = (index + 1, depth + 1)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                (index, depth) = (index + 1, depth - 1)
                if depth == 0 { return index }
            default: index += 1
            }
        }
        return nil
    }

    /// The position after the quote that ends a string, in which others may be escaped; nil without one.
    func stringEnd(from start: Int) -> Int? {
        var index = start
        while index < count, self[index] != .quote { index += self[index] == .backslash ? 2 : 1 }
        return index < count ? index + 1 : nil
    }

    /// The position after the name of an authentication scheme, in any case, and a space.
    func afterScheme(_ name: StaticString, at start: Int) -> Int? {
        let end = start + name.utf8CodeUnitCount
        guard end < count, self[end].isTextSpace else { return nil }
        for offset in 0..<name.utf8CodeUnitCount where self[start + offset] | 0x20 != name.utf8Start[offset] {
            return nil
        }
        return self.end(of: \.isTextSpace, from: end)
    }
}

extension UInt8 {
    static var quote: UInt8 { UInt8(ascii: "\"") }
    static var apostrophe: UInt8 { UInt8(ascii: "'") }
    static var backslash: UInt8 { UInt8(ascii: "\\") }
    static var colon: UInt8 { UInt8(ascii: ":") }
    static var equals: UInt8 { UInt8(ascii: "=") }
    static var comma: UInt8 { UInt8(ascii: ",") }
    static var less: UInt8 { UInt8(ascii: "<") }
    static var greater: UInt8 { UInt8(ascii: ">") }
    static var slash: UInt8 { UInt8(ascii: "/") }
    static var at: UInt8 { UInt8(ascii: "@") }

    /// Space, tab, line feed or carriage return.
    var isTextSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
    private var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
    /// A byte of a word: a letter, a digit, an underscore, or part of a character outside of ASCII.
    var isInWord: Bool { isLetterOrDigit || self == UInt8(ascii: "_") || self >= 0x80 }
    /// A byte of a name: of a word, a period or a hyphen.
    var isInName: Bool { isInWord || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") }
    /// A byte of the name of an XML element, which may have a prefix.
    var isInTagName: Bool { isInName || self == .colon }
    /// A byte of a value without quotes.
    var isInValue: Bool { !isTextSpace && !"&,;\"'<>}]\\".utf8.contains(self) }
    /// A byte of the authority of a URL in a text.
    var isInAuthority: Bool { !isTextSpace && !"/?#\\\"<>".utf8.contains(self) }
    /// A byte of the credentials of a scheme (RFC 9110, section 11.2).
    var isInCredentials: Bool { isLetterOrDigit || "+/=._~-".utf8.contains(self) }
}
