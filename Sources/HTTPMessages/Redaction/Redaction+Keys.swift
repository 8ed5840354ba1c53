extension Redaction {
    /// Returns a text with the secret keys of entities in it replaced: `Sessions('5f2c')`, `Sessions(guid'5f2c')`,
    /// `Connections(ID=5f2c)`, also with `%27`, `%28` and `%29` for quotes and parentheses.
    ///
    /// Takes linear time, for texts of servers. A key ends before the next slash and in its line: in quotes with the
    /// last quote and parenthesis there, else with the first parenthesis outside of quotes. It has a quote, a digit or
    /// an equals sign, so `key(s)` stays as it is.
    func withoutKeys(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "%") }) else {
            return String(text)
        }
        return String(decoding: withoutKeys(Array(text.utf8)), as: UTF8.self)
    }

    /// Returns a text in a charset that extends ASCII with the secret keys of entities in it replaced.
    func withoutKeys(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var (position, index) = (0, 0)
        var known: KeyPart?
        while let open = bytes[index...].indices.first(where: { bytes.character("(", at: $0) != nil }) {
            let key = open + (bytes.character("(", at: open) ?? 1)
            index = key
            var start = open
            while start > position, bytes[start - 1].isInWord { start -= 1 }
            let set = String(decoding: bytes[start..<open], as: UTF8.self)
            guard start < open, isSecretSet(set) else { continue }
            let part = known.flatMap { open < $0.end ? $0 : nil } ?? KeyPart(of: bytes, from: open)
            known = part
            guard let close = part.close(ofKeyAt: key, in: bytes) else {
                // Nor does a later key in this part end.
                index = part.end
                continue
            }
            index = close
            guard isKey(key..<close, of: set, in: bytes) else { continue }
            output += bytes[position..<key]
            output += Redaction.placeholder.utf8
            position = close
        }
        return position == 0 ? bytes : output + bytes[position...]
    }

    /// False for words in parentheses, and ``forDecisions`` for a number.
    private func isKey(_ range: Range<Int>, of set: String, in bytes: [UInt8]) -> Bool {
        guard bytes[range].isKey else { return false }
        return !isForDecisions || set == Self.connections || range.contains { bytes.character("'", at: $0) != nil }
    }

    private static let connections = "Connections"

    /// True if the keys of an entity set are secret. Those of `Connections` are identifiers of application connections;
    /// elsewhere the name means no secret.
    private func isSecretSet(_ name: String) -> Bool {
        name == Self.connections || isSecret(name) || (name.last == "s" && isSecret(String(name.dropLast())))
    }
}

/// The rest of a line before a slash, where keys of entities are looked for.
private struct KeyPart {
    let end: Int
    /// The last parenthesis that closes, and the last one behind a quote; nil if there is none.
    private let last, lastQuoted: Int?

    init(of bytes: [UInt8], from start: Int) {
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\n") } ?? bytes.count
        self.end = end
        last = (start..<end).last { bytes.character(")", at: $0) != nil }
        lastQuoted = (start..<end).last { bytes.character(")", at: $0) != nil && bytes.hasQuote(before: $0) }
    }

    /// The position of the parenthesis that closes a key.
    func close(ofKeyAt key: Int, in bytes: [UInt8]) -> Int? {
        if let length = bytes.character("'", at: key), let lastQuoted, lastQuoted > key + length { return lastQuoted }
        var (index, isQuoted) = (key, false)
        while index < end {
            if let length = bytes.character("'", at: index) {
                isQuoted.toggle()
                index += length
            } else if !isQuoted, bytes.character(")", at: index) != nil {
                return index
            } else {
                index += 1
            }
        }
        return last.flatMap { $0 >= key ? $0 : nil }
    }
}

extension ArraySlice<UInt8> {
    /// False for words in parentheses, and for an option of OData, such as `$select=a`.
    fileprivate var isKey: Bool {
        // Digits are also in `%27`.
        first != UInt8(ascii: "$") && contains { "'=0123456789".utf8.contains($0) }
    }
}

extension [UInt8] {
    /// The length of a character at a position, as it is or percent-encoded; nil for another one.
    fileprivate func character(_ scalar: Unicode.Scalar, at index: Int) -> Int? {
        guard index < count else { return nil }
        let byte = UInt8(ascii: scalar)
        if self[index] == byte { return 1 }
        guard self[index] == UInt8(ascii: "%"), index + 2 < count, self[index + 1] == UInt8(ascii: "2") else {
            return nil
        }
        // Quotes and parentheses are 27, 28 and 29.
        return self[index + 2] == byte - 0x27 + UInt8(ascii: "7") ? 3 : nil
    }

    fileprivate func hasQuote(before index: Int) -> Bool {
        index >= 1 && self[index - 1] == UInt8(ascii: "'") || index >= 3 && character("'", at: index - 3) == 3
    }
}
