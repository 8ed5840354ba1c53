/// A fast test whether a text can contain a secret, before it is searched by names.
///
/// It looks for the words of a ``Redaction`` and the names of authentication schemes at starts of words, for
/// parentheses after words, and for users of URLs, in one pass without allocations. A hit may be wrong; without one
/// ``Redaction/redacted(line:)`` changes nothing.
package struct SecretFilter: Sendable {
    // What is to be known of a byte, in one look.
    private static let inWord: UInt8 = 1
    private static let upper: UInt8 = 2
    /// The first byte of a word, in any case.
    private static let first: UInt8 = 4
    /// A backslash, an at sign, the start of a parenthesis, or of Kelvin's sign, whose lower case is k.
    private static let special: UInt8 = 8

    private var kinds: [UInt8] = Array(repeating: 0, count: 256)
    /// The words by their first byte.
    private var words: [[[UInt8]]] = Array(repeating: [], count: 256)
    /// The second bytes of the words with a first byte, as bits from `a`; all of them for a word of one byte.
    private var secondLetters: [UInt32] = Array(repeating: 0, count: 256)
    /// False if a word is not ASCII, of which the cases cannot be compared by bytes.
    private var isUsable = true

    package init(_ redaction: Redaction) {
        for word in redaction.words.union(["bearer", "basic", "digest", "dpop"]) where !word.isEmpty {
            let bytes = Array(word.utf8)
            guard bytes.allSatisfy({ $0 < 0x80 }) else {
                isUsable = false
                return
            }
            words[Int(bytes[0])].append(bytes)
            let isLetter = bytes.count > 1 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= bytes[1]
            secondLetters[Int(bytes[0])] |= isLetter ? 1 << UInt32(bytes[1] & 0x1F) : ~0
        }
        for byte in UInt8(0)..<0x80 {
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            let lower = isUpper ? byte | 0x20 : byte
            if UInt8(ascii: "a")...UInt8(ascii: "z") ~= lower || UInt8(ascii: "0")...UInt8(ascii: "9") ~= lower {
                kinds[Int(byte)] = isUpper ? Self.inWord | Self.upper : Self.inWord
            }
            // The whole name of an app may start with another character, such as `_csrf`.
            if !words[Int(lower)].isEmpty { kinds[Int(byte)] |= Self.first }
        }
        for byte in "\\(%@".utf8 { kinds[Int(byte)] |= Self.special }
        kinds[0xE2] = Self.special
    }

    /// True if the text may contain a secret.
    package func mayFind(in text: String) -> Bool {
        guard isUsable else { return true }
        var text = text
        return text.withUTF8 { mayFind(in: $0) }
    }

    private func mayFind(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        kinds.withUnsafeBufferPointer { kinds in
            var isInWord = false
            var index = 0
            while index < bytes.count {
                let kind = kinds[Int(bytes[index])]
                // Most bytes are in the middle of a word, or between two.
                if kind & (Self.first | Self.special) != 0 {
                    // A word starts after another character, or with an upper-case letter.
                    if kind & Self.first != 0, !isInWord || kind & Self.upper != 0, startsWord(bytes, at: index) {
                        return true
                    }
                    if index > 0, bytes[index - 1].isInWord, Self.isParenthesis(bytes[index...]) { return true }
                    if bytes[index] == .at, Self.endsWithUser(bytes[..<index]) { return true }
                    if bytes[index] == 0xE2, bytes[index...].starts(with: [0xE2, 0x84, 0xAA]) { return true }
                    if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                        // An escaped letter of JSON, or an escape whose letter is no part of the word behind it.
                        if bytes[index + 1] == UInt8(ascii: "u") { return true }
                        let isFirst = kinds[Int(bytes[index + 1])] & Self.first != 0
                        if isFirst, startsWord(bytes, at: index + 1) { return true }
                        isInWord = false
                        index += 2
                        continue
                    }
                }
                isInWord = kind & Self.inWord != 0
                index += 1
            }
            return false
        }
    }

    /// True for the start of a key.
    private static func isParenthesis(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        bytes.first == UInt8(ascii: "(") || bytes.starts(with: "%28".utf8)
    }

    /// True for what ends with the user of a URL, whose slashes may be escaped.
    private static func endsWithUser(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        // The part before an earlier at sign was looked at there.
        guard let slash = bytes.lastIndex(where: { !$0.isInAuthority || $0 == .at }), slash > 0 else { return false }
        return bytes[slash] == .slash && (bytes[slash - 1] == .slash || bytes[slash - 1] == .backslash)
    }

    private func startsWord(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let byte = bytes[index]
        let first = Int(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        return secondLetters[first] & (1 << UInt32(next & 0x1F)) != 0
            && words[first].contains { Self.matches($0, bytes, at: index) }
    }

    /// True if a word is at an index, in any case, and ends there: before anything but a lower-case letter.
    private static func matches(_ word: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard bytes.count - start >= word.count else { return false }
        for offset in 1..<max(1, word.count) {
            let byte = bytes[start + offset]
            let lower = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            if lower != word[offset] { return false }
        }
        guard start + word.count < bytes.count else { return true }
        return bytes[start + word.count] &- UInt8(ascii: "a") >= 26
    }
}
