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
    /// The position of the last end tag of each name, once it was asked for.
    private var endTags: [ArraySlice<UInt8>: Int]?
    private let isMarkup: Bool
    private var output: [UInt8] = []

    init(_ text: some Sequence<UInt8>, _ redaction: Redaction) {
        bytes = Array(text)
        isMarkup = bytes.first { !$0.isTextSpace && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8.less
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
        return redaction.withoutKeys(SecretScanner(scanner.output, redaction).withoutCredentials())
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
            index = bytes.stringEnd(from: end + 1) ?? bytes.count
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

    /// The end of the content of an XML element, after its start tag: its end tag. Without one it is the end of markup,
    /// and the next tag of other text, in which a name in angle brackets may be a word to replace, not with a child.
    ///
    /// An end tag and an empty element have no content. That of a tag without its start is text only.
    private mutating func contentEnd(of name: Range<Int>, from start: Int) -> Int {
        var begin = name.lowerBound
        while begin > 0, bytes[begin - 1].isInTagName { begin -= 1 }
        if bytes[start - 2] == .slash || bytes[..<begin].suffix(2).elementsEqual([UInt8.less, .slash]) { return start }
        guard begin > 0, bytes[begin - 1] == .less else { return bytes.end(of: { $0 != .less }, from: start) }
        let tag = bytes[begin..<name.upperBound]
        guard let last = lastEndTag(of: tag), last >= start else {
            let child = bytes[bytes.end(of: \.isTextSpace, from: start)...]
            let hasChild =
                child.first == .less && child.dropFirst().first.map { $0.isInName || "!?".utf8.contains($0) } == true
                && !child.starts(with: Redaction.placeholder.utf8)
            return isMarkup || hasChild ? bytes.count : bytes.end(of: { $0 != .less }, from: start)
        }
        var (index, depth) = (start, 1)
        // No further, since else each start tag of many would be searched for to the end.
        while let less = bytes.index(from: index, where: { $0 == .less }), less < last {
            let rest = bytes[(less + 1)...]
            let isEnd = rest.first == UInt8.slash
            index = less + (isEnd ? 2 : 1)
            guard rest.dropFirst(isEnd ? 1 : 0).starts(with: tag) else { continue }
            let end = index + tag.count
            if end < bytes.count, bytes[end].isInTagName { continue }
            // An element of the same name may be in it, also an empty one.
            let close = bytes.end(of: { $0 != .less && $0 != .greater }, from: end)
            if isEnd || bytes[close - 1] != .slash { depth += isEnd ? -1 : 1 }
            if depth == 0 { return less }
        }
        return last
    }

    private mutating func lastEndTag(of name: ArraySlice<UInt8>) -> Int? {
        if let endTags { return endTags[name] }
        var found: [ArraySlice<UInt8>: Int] = [:]
        var index = 0
        while let less = bytes.index(from: index, where: { $0 == .less }) {
            index = less + 1
            guard index < bytes.count, bytes[index] == .slash else { continue }
            found[bytes[(index + 1)..<bytes.end(of: \.isInTagName, from: index + 1)]] = less
        }
        endTags = found
        return found[name]
    }

    /// The end of a value: quoted, quoted with escaped quotes, bracketed (to the end of the text, except in JSON), or
    /// up to a separator.
    private func valueEnd(of name: Range<Int>, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        if let end = quotedEnd(from: start) { return end }
        if bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "{") {
            let isJSON = bytes[bytes.end(of: { $0 == .backslash }, from: name.upperBound)] == .quote
            return (isJSON ? bytes.bracketEnd(from: start) : nil) ?? bytes.count
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
        case .quote: return bytes.stringEnd(from: start + 1) ?? bytes.count
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
            let equals = bytes.end(of: \.isTextSpace, from: name)
            guard name > index, equals < bytes.count, bytes[equals] == .equals else { return last }
            let start = bytes.end(of: \.isTextSpace, from: equals + 1)
            // A name may have been secret by itself.
            let isHidden = bytes[start...].starts(with: Redaction.placeholder.utf8)
            let value = start + (isHidden ? Redaction.placeholder.utf8.count : 0)
            let end = quotedEnd(from: value) ?? bytes.end(of: \.isInValue, from: value)
            last = end
            let comma = bytes.end(of: \.isTextSpace, from: end)
            guard comma < bytes.count, bytes[comma] == .comma else { return last }
            index = bytes.end(of: \.isTextSpace, from: comma + 1)
        }
    }

    /// Replaces the credentials after the name of an authentication scheme, and the users of URLs.
    private func withoutCredentials() -> [UInt8] {
        var output: [UInt8] = []
        var (position, index) = (0, 0)
        while let begin = bytes.index(from: index, where: \.isInWord) {
            index = bytes.end(of: \.isInWord, from: begin)
            guard let found = userOfURL(after: index) ?? credentials(at: begin) else { continue }
            output += bytes[position..<found.lowerBound]
            output += Redaction.placeholder.utf8
            (position, index) = (found.upperBound, found.upperBound)
        }
        return output + bytes[position...]
    }

    /// The user in a URL whose scheme ends here, perhaps with a password. The slashes may be escaped.
    private func userOfURL(after scheme: Int) -> Range<Int>? {
        guard scheme < bytes.count, bytes[scheme] == .colon else { return nil }
        var start = scheme + 1
        for _ in 0..<2 {
            start = bytes.end(of: { $0 == .backslash }, from: start)
            guard start < bytes.count, bytes[start] == .slash else { return nil }
            start += 1
        }
        var end = bytes.end(of: \.isInAuthority, from: start)
        // JSON escapes some characters of a password, and a cut may be within such an escape.
        while end < bytes.count, bytes[end] == .backslash,
            end + 1 == bytes.count || bytes[end + 1] == UInt8(ascii: "u") || bytes[end + 1] == .at
        {
            end = bytes.end(of: \.isInAuthority, from: end + 1)
        }
        let authority = bytes[start..<end]
        guard let end = authority.lastIndex(of: .at), end > start else { return nil }
        return start..<end
    }

    /// The credentials after the name of a scheme at a position.
    private func credentials(at name: Int) -> Range<Int>? {
        let schemes: [StaticString] = ["bearer", "basic", "digest", "dpop"]
        guard let start = schemes.lazy.compactMap({ bytes.afterScheme($0, at: name) }).first else { return nil }
        let parameters = bytes.afterScheme("digest", at: name).flatMap { parametersEnd(from: $0) }
        let end = parameters ?? bytes.end(of: \.isInCredentials, from: start)
        return parameters != nil || end - start >= 8 ? start..<end : nil
    }
}
