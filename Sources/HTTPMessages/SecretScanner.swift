/// Finds the secret values in JSON, a form, XML or other text, in one pass.
///
/// A hand-written scanner, since a server chooses the text: a regular expression would be tried at each byte, and read
/// to the end of the line from each, which is quadratic.
struct SecretScanner {
    private let redaction: Redaction
    private let bytes: [UInt8]
    /// The position of the next byte to copy.
    private var position = 0
    /// The first angle bracket at or after a position that was asked for; the end if there is none.
    private var angle = -1
    private var output: [UInt8] = []

    init(_ text: some Sequence<UInt8>, _ redaction: Redaction) {
        bytes = Array(text)
        self.redaction = redaction
    }

    /// The text with a placeholder for each secret value.
    static func redacted(_ text: String, _ redaction: Redaction) -> String {
        String(decoding: redacted(text.utf8, redaction), as: UTF8.self)
    }

    /// The text with a placeholder for each secret value, also in a charset that extends ASCII.
    static func redacted(_ text: some Sequence<UInt8>, _ redaction: Redaction) -> [UInt8] {
        var scanner = SecretScanner(text, redaction)
        scanner.scan()
        return SecretScanner(scanner.output, redaction).withoutCredentials()
    }

    /// Copies the line, name by name.
    private mutating func scan() {
        var start = 0
        while let begin = bytes.index(from: start, where: \.isInName) {
            let end = nameEnd(from: begin)
            start = end
            if isElementPrefix(begin..<end) { continue }
            if let value = valueStart(after: end) {
                copy(upTo: value)
                start = value
                if isSecret(begin..<end), let last = valueEnd(of: begin..<end, from: value) {
                    redact(upTo: last, &start)
                }
            } else if let close = tagEnd(after: end) {
                // XML attributes may hold secrets too; they contain no angle bracket.
                copy(upTo: end)
                var attributes = SecretScanner(bytes[end..<close], redaction)
                attributes.scan()
                output += attributes.output
                position = close
                copy(upTo: close + 1)
                start = close + 1
                // Read for a secret only, since other text is read for names.
                guard isSecret(begin..<end) else { continue }
                let content = contentEnd(of: begin..<end, from: start)
                if content > start { redact(upTo: content, &start) }
            }
        }
        copy(upTo: bytes.count)
    }

    /// The end of a name; that of an XML attribute may have a prefix.
    private func nameEnd(from start: Int) -> Int {
        let end = bytes.end(of: \.isInName, from: start)
        guard end < bytes.count, bytes[end] == .colon else { return end }
        let last = bytes.end(of: \.isInName, from: end + 1)
        guard last > end + 1, last + 1 < bytes.count, bytes[last] == .equals else { return end }
        return bytes[last + 1] == .quote || bytes[last + 1] == .apostrophe ? last : end
    }

    /// Whether a name is the prefix of an XML element's name, such as `auth`, which says nothing of its content.
    private func isElementPrefix(_ name: Range<Int>) -> Bool {
        guard name.upperBound < bytes.count, bytes[name.upperBound] == .colon else { return false }
        let before = bytes[..<name.lowerBound].suffix(2)
        return before.last == UInt8.less || before.elementsEqual([.less, .slash])
    }

    /// Whether a name with a colon is that of a field of HTTP whose credentials have several parts.
    private func isField(_ name: Range<Int>) -> Bool {
        let names = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        return bytes[name.upperBound] == .colon
            && names.contains { $0.utf8.elementsEqual(bytes[name].lazy.map { $0 | 0x20 }) }
    }

    /// The end of a field's value, whose parameters may have quotes: that of its line, or of the JSON or XML around it.
    private func fieldEnd(from start: Int) -> Int {
        var index = start
        while let end = bytes.index(from: index, where: { "\r\n\"<\\".utf8.contains($0) }) {
            guard bytes[end] == .quote, end > start, bytes[end - 1] == .equals else { return end }
            index = stringEnd(from: end + 1)
        }
        return bytes.count
    }

    private func isSecret(_ name: Range<Int>) -> Bool {
        redaction.isSecret(String(decoding: bytes[name], as: UTF8.self))
    }

    private mutating func copy(upTo end: Int) {
        output += bytes[position..<end]
        position = end
    }

    private mutating func redact(upTo end: Int, _ start: inout Int) {
        output += Redaction.placeholder.utf8
        position = end
        start = end
    }

    /// The start of the value after a name and `:` or `=`; a quote, perhaps escaped, may end the name.
    private func valueStart(after name: Int) -> Int? {
        var index = bytes.end(of: { $0 == .backslash }, from: name)
        if index < bytes.count, bytes[index] == .quote || bytes[index] == .apostrophe { index += 1 }
        index = bytes.end(of: \.isTextSpace, from: index)
        guard index < bytes.count, bytes[index] == .colon || bytes[index] == .equals else { return nil }
        return bytes.end(of: \.isTextSpace, from: index + 1)
    }

    /// The position of the `>` that ends the tag whose name ends here.
    private mutating func tagEnd(after name: Int) -> Int? {
        guard name < bytes.count else { return nil }
        if bytes[name] == .greater { return name }
        guard bytes[name].isTextSpace else { return nil }
        if angle < name { angle = bytes.end(of: { $0 != .less && $0 != .greater }, from: name) }
        return angle < bytes.count && bytes[angle] == .greater ? angle : nil
    }

    /// The end of the content of an XML element, after its start tag: its end tag, or the end of the text without one.
    ///
    /// An end tag and an empty element have no content. That of a tag without its start is text only.
    private func contentEnd(of name: Range<Int>, from start: Int) -> Int {
        var begin = name.lowerBound
        while begin > 0, bytes[begin - 1].isInTagName { begin -= 1 }
        if bytes[start - 2] == .slash || bytes[..<begin].suffix(2).elementsEqual([UInt8.less, .slash]) { return start }
        guard begin > 0, bytes[begin - 1] == .less else { return bytes.end(of: { $0 != .less }, from: start) }
        let tag = bytes[begin..<name.upperBound]
        var (index, depth) = (start, 1)
        while let less = bytes.index(from: index, where: { $0 == .less }) {
            let rest = bytes[(less + 1)...]
            let isEnd = rest.first == UInt8.slash
            index = less + (isEnd ? 2 : 1)
            guard rest.dropFirst(isEnd ? 1 : 0).starts(with: tag) else { continue }
            let next = index + tag.count < bytes.count ? bytes[index + tag.count] : 0
            // An element of the same name may be in it.
            if !next.isInTagName, isEnd || next != .slash { depth += isEnd ? -1 : 1 }
            if depth == 0 { return less }
        }
        return bytes.count
    }

    /// The end of a value: quoted, quoted with escaped quotes, bracketed (to the end of the text, except in JSON), or
    /// up to a separator.
    private func valueEnd(of name: Range<Int>, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        if let end = quotedEnd(from: start) { return end }
        if bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "{") {
            let isJSON = bytes[bytes.end(of: { $0 == .backslash }, from: name.upperBound)] == .quote
            return isJSON ? bracketEnd(from: start) : bytes.count
        }
        if let end = bytes.afterScheme("digest", at: start).flatMap({ parametersEnd(from: $0) }) { return end }
        let schemes: [StaticString] = ["bearer", "basic", "digest", "dpop", "token"]
        if let token = schemes.lazy.compactMap({ bytes.afterScheme($0, at: start) }).first,
            case let end = bytes.end(of: \.isInValue, from: token), end > token
        {
            return end
        }
        let end = isField(name) ? fieldEnd(from: start) : bytes.end(of: \.isInValue, from: start)
        return end > start ? end : nil
    }

    /// The end of a value in quotes, which may be escaped; nil for another one.
    private func quotedEnd(from start: Int) -> Int? {
        let quote = bytes.end(of: { $0 == .backslash }, from: start)
        if quote > start, quote < bytes.count, bytes[quote] == .quote {
            let end = bytes.end(of: { $0 != .quote && $0 != .backslash }, from: quote + 1)
            let close = bytes.end(of: { $0 == .backslash }, from: end)
            return close > end && close < bytes.count && bytes[close] == .quote ? close + 1 : end
        }
        switch start < bytes.count ? bytes[start] : 0 {
        case .quote: return stringEnd(from: start + 1)
        case .apostrophe:
            let end = bytes.end(of: { $0 != .apostrophe }, from: start + 1)
            return min(end + 1, bytes.count)
        default: return nil
        }
    }

    /// The end of parameters that commas separate, such as those of a Digest; nil without one.
    private func parametersEnd(from start: Int) -> Int? {
        var (index, last) = (start, Int?.none)
        while true {
            let name = bytes.end(of: \.isInName, from: index)
            guard name > index, name < bytes.count, bytes[name] == .equals else { return last }
            // A name may have been secret by itself.
            let isHidden = bytes[(name + 1)...].starts(with: Redaction.placeholder.utf8)
            let value = name + 1 + (isHidden ? Redaction.placeholder.utf8.count : 0)
            let end = quotedEnd(from: value) ?? bytes.end(of: \.isInValue, from: value)
            last = end
            let comma = bytes.end(of: \.isTextSpace, from: end)
            guard comma < bytes.count, bytes[comma] == .comma else { return last }
            index = bytes.end(of: \.isTextSpace, from: comma + 1)
        }
    }

    /// The position after the bracket that closes an object or an array; the end of the text without one.
    private func bracketEnd(from start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case .quote: index = stringEnd(from: index + 1)
            case UInt8(ascii: "["), UInt8(ascii: "{"): (index, depth) = (index + 1, depth + 1)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                (index, depth) = (index + 1, depth - 1)
                if depth == 0 { return index }
            default: index += 1
            }
        }
        return bytes.count
    }

    /// The end of a string whose quotes may be escaped.
    private func stringEnd(from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != .quote {
            index += bytes[index] == .backslash ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    /// Replaces the credentials after the name of an authentication scheme.
    private func withoutCredentials() -> [UInt8] {
        var output: [UInt8] = []
        var (position, index) = (0, 0)
        while let begin = bytes.index(from: index, where: \.isInWord) {
            index = bytes.end(of: \.isInWord, from: begin)
            let found = ["bearer", "basic", "digest", "dpop"].lazy.compactMap { bytes.afterScheme($0, at: begin) }.first
            guard let start = found else { continue }
            let parameters = bytes.afterScheme("digest", at: begin).flatMap { parametersEnd(from: $0) }
            let end = parameters ?? bytes.end(of: \.isInCredentials, from: start)
            guard parameters != nil || end - start >= 8 else { continue }
            output += bytes[position..<start]
            output += Redaction.placeholder.utf8
            (position, index) = (end, end)
        }
        return output + bytes[position...]
    }
}

extension [UInt8] {
    /// The first index from a position on whose byte is of a kind.
    fileprivate func index(from start: Int, where isOfKind: (UInt8) -> Bool) -> Int? {
        let found = end(of: { !isOfKind($0) }, from: start)
        return found < count ? found : nil
    }

    /// The end of the bytes of a kind from a position on.
    fileprivate func end(of isOfKind: (UInt8) -> Bool, from start: Int) -> Int {
        var index = start
        while index < count, isOfKind(self[index]) { index += 1 }
        return index
    }

    /// The position after the name of an authentication scheme, in any case, and a space.
    fileprivate func afterScheme(_ name: StaticString, at start: Int) -> Int? {
        let end = start + name.utf8CodeUnitCount
        guard end < count, self[end].isTextSpace else { return nil }
        for offset in 0..<name.utf8CodeUnitCount where self[start + offset] | 0x20 != name.utf8Start[offset] {
            return nil
        }
        return self.end(of: \.isTextSpace, from: end)
    }
}

extension UInt8 {
    fileprivate static var quote: UInt8 { UInt8(ascii: "\"") }
    fileprivate static var apostrophe: UInt8 { UInt8(ascii: "'") }
    fileprivate static var backslash: UInt8 { UInt8(ascii: "\\") }
    fileprivate static var colon: UInt8 { UInt8(ascii: ":") }
    fileprivate static var equals: UInt8 { UInt8(ascii: "=") }
    fileprivate static var comma: UInt8 { UInt8(ascii: ",") }
    fileprivate static var less: UInt8 { UInt8(ascii: "<") }
    fileprivate static var greater: UInt8 { UInt8(ascii: ">") }
    fileprivate static var slash: UInt8 { UInt8(ascii: "/") }

    /// Space, tab, line feed or carriage return.
    fileprivate var isTextSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
    private var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
    /// A byte of a word: a letter, a digit, an underscore, or part of a character outside of ASCII.
    var isInWord: Bool { isLetterOrDigit || self == UInt8(ascii: "_") || self >= 0x80 }
    /// A byte of a name: of a word, a period or a hyphen.
    fileprivate var isInName: Bool { isInWord || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") }
    /// A byte of the name of an XML element, which may have a prefix.
    fileprivate var isInTagName: Bool { isInName || self == .colon }
    /// A byte of a value without quotes.
    fileprivate var isInValue: Bool { !isTextSpace && !"&,;\"'<>}]\\".utf8.contains(self) }
    /// A byte of the credentials of a scheme (RFC 9110, section 11.2).
    fileprivate var isInCredentials: Bool { isLetterOrDigit || "+/=._~-".utf8.contains(self) }
}
