extension Redaction {
    /// Returns a text with the secret keys of entities in it replaced: `Sessions('5f2c')`, also with `%27` for quotes.
    ///
    /// Takes linear time, for texts of servers: a key ends with the last quote and parenthesis before the next slash.
    func withoutKeys(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "(")) else { return text }
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var (position, index) = (0, 0)
        // The part between slashes that was looked at last, and the end of the last key in it.
        var (partEnd, keyEnd) = (0, 0)
        while let open = bytes[index...].firstIndex(of: UInt8(ascii: "(")) {
            index = open + 1
            var start = open
            while start > position, bytes[start - 1].isInWord { start -= 1 }
            guard start < open, let key = bytes.afterQuote(at: open + 1) else { continue }
            if open >= partEnd {
                partEnd = bytes[open...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
                keyEnd = bytes.lastKeyEnd(in: open..<partEnd)
            }
            guard let quote = bytes.closingQuote(before: keyEnd), quote >= key else { continue }
            index = keyEnd
            guard isSecretSet(String(decoding: bytes[start..<open], as: UTF8.self)) else { continue }
            output += bytes[position...open]
            output += Redaction.placeholder.utf8
            position = keyEnd - 1
        }
        return String(decoding: output + bytes[position...], as: UTF8.self)
    }

    /// True if the keys of an entity set are secret. Those of `Connections` are identifiers of application connections;
    /// elsewhere the name means no secret.
    private func isSecretSet(_ name: String) -> Bool {
        name == "Connections" || isSecret(name) || (name.last == "s" && isSecret(String(name.dropLast())))
    }
}

extension [UInt8] {
    private static var encodedQuote: [UInt8] { Array("%27".utf8) }

    /// The position after a quote, or nil.
    fileprivate func afterQuote(at start: Int) -> Int? {
        guard start < count else { return nil }
        if self[start] == UInt8(ascii: "'") { return start + 1 }
        return self[start...].starts(with: Self.encodedQuote) ? start + 3 : nil
    }

    /// The position of the quote before the parenthesis that ends here, or nil.
    fileprivate func closingQuote(before end: Int) -> Int? {
        guard end >= 2, self[end - 1] == UInt8(ascii: ")") else { return nil }
        if self[end - 2] == UInt8(ascii: "'") { return end - 2 }
        return end >= 4 && self[(end - 4)..<(end - 1)].elementsEqual(Self.encodedQuote) ? end - 4 : nil
    }

    /// The position after the last quote and parenthesis in a range; 0 if there is none.
    fileprivate func lastKeyEnd(in range: Range<Int>) -> Int {
        range.last { closingQuote(before: $0 + 1) != nil }.map { $0 + 1 } ?? 0
    }
}
