/// A fast test whether a text can contain a secret, before it is searched by names.
///
/// It looks for the words of a ``Redaction`` and the names of authentication schemes at starts of words, in one pass
/// without allocations. A hit may be wrong; without one ``Redaction/redacted(line:)`` changes nothing.
package struct SecretFilter: Sendable {
    /// What is to be known of a byte, in one look.
    private struct Kind: OptionSet {
        let rawValue: UInt8
        static let inWord = Kind(rawValue: 1)
        static let upper = Kind(rawValue: 2)
        /// Of a word, in any case.
        static let first = Kind(rawValue: 4)
        static let special = Kind(rawValue: 8)
    }

    private var kinds: [Kind] = Array(repeating: [], count: 256)
    /// The words by their first byte.
    private var words: [[[UInt8]]] = Array(repeating: [], count: 256)
    /// The second bytes of the words with a first byte, as bits from `a`; all of them for a word of one byte.
    private var secondLetters: [UInt32] = Array(repeating: 0, count: 256)
    /// False if a word is not ASCII, of which the cases cannot be compared by bytes.
    private var isUsable = true

    package init(_ redaction: Redaction) {
        for word in redaction.words.union(["bearer", "basic", "digest"]) where !word.isEmpty {
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
            guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= lower || UInt8(ascii: "0")...UInt8(ascii: "9") ~= lower
            else {
                continue
            }
            kinds[Int(byte)] = isUpper ? [.inWord, .upper] : .inWord
            if !words[Int(lower)].isEmpty { kinds[Int(byte)].insert(.first) }
        }
        kinds[Int(UInt8(ascii: "\\"))] = .special
        kinds[0xE2] = .special
    }

    /// True if the text may contain a secret.
    package func mayFind(in text: String) -> Bool {
        guard isUsable else { return true }
        var text = text
        return text.withUTF8 { mayFind(in: $0) }
    }

    private func mayFind(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        kinds.withUnsafeBufferPointer { kinds in
            var before: Kind = []
            for index in bytes.indices {
                let kind = kinds[Int(bytes[index])]
                // A word starts after another character, or with an upper-case letter.
                if kind.contains(.first), !before.contains(.inWord) || kind.contains(.upper),
                    startsWord(bytes, at: index)
                {
                    return true
                }
                // An escaped letter of JSON, and the sign for Kelvin, whose lower case is k.
                if kind.contains(.special),
                    bytes[index...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
                        || bytes[index...].starts(with: [0xE2, 0x84, 0xAA])
                {
                    return true
                }
                // The letter of an escape in JSON is no part of the word behind it.
                let isEscaped = index > 0 && bytes[index - 1] == UInt8(ascii: "\\")
                before = isEscaped ? [] : kind
            }
            return false
        }
    }

    private func startsWord(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let first = Int(bytes[index] | 0x20)
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        return secondLetters[first] & (1 << UInt32(next & 0x1F)) != 0
            && words[first].contains { Self.matches($0, bytes, at: index) }
    }

    /// True if a word is at an index, in any case, and ends there: before another character or an upper-case letter.
    private static func matches(_ word: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard bytes.count - start >= word.count else { return false }
        for offset in 1..<max(1, word.count) {
            let byte = bytes[start + offset]
            let lower = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            if lower != word[offset] { return false }
        }
        guard start + word.count < bytes.count else { return true }
        let next = bytes[start + word.count]
        return !(next &- UInt8(ascii: "a") < 26 || next &- UInt8(ascii: "0") < 10)
    }
}
