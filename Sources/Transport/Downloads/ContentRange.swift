import HTTPMessages

/// A parsed `Content-Range` value (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// The complete length, or nil for `*`.
    let total: Int64?

    /// Returns nil when the text is not a valid byte range.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < .max
        else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = Self.number(parts[1]), last < number else { return nil }
            total = number
        }
        self.first = first
        self.last = last
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}

extension HTTPResponseHead {
    /// The strong entity tag of the response, if it has one (RFC 9110, section 8.8.1).
    ///
    /// `Last-Modified` is not used: it is strong only under assumptions about the server's clock (section 8.8.2.2).
    package var strongEntityTag: String? {
        guard fields.values(of: .etag).count == 1, let tag = fields[.etag] else { return nil }
        let bytes = tag.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return nil }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F } ? tag : nil
    }
}
