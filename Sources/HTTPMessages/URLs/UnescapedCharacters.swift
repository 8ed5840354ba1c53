/// The ASCII characters that a percent-encoding leaves as they are, as a bit set.
@usableFromInline package struct UnescapedCharacters: Hashable, Sendable {
    @usableFromInline let lower: UInt64
    @usableFromInline let upper: UInt64

    private init(lower: UInt64, upper: UInt64) {
        self.lower = lower
        self.upper = upper
    }

    /// ASCII letters, digits, and other characters.
    package init(alphanumericsAnd others: String) {
        var (lower, upper) = (UInt64(0), UInt64(0))
        let letters: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
        for byte in letters.joined() + Array(others.utf8) where byte < 128 {
            if byte < 64 { lower |= 1 << UInt64(byte) } else { upper |= 1 << UInt64(byte - 64) }
        }
        self.init(lower: lower, upper: upper)
    }

    @inlinable package func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? lower : upper) >> UInt64(byte & 63) & 1 == 1
    }

    /// The unreserved characters of RFC 3986, section 2.3; for one segment of a path, and for queries.
    package static let unreserved = UnescapedCharacters(alphanumericsAnd: "-._~")
    /// `pchar` of RFC 3986, section 3.3, for values in one segment of a path: without the plus sign, which some servers
    /// read as a space, and the semicolon, from which servlet containers ignore the segment (`..;`).
    package static let segment = UnescapedCharacters(alphanumericsAnd: "-._~!$&'()*,=:@")
    /// All reserved and unreserved characters of RFC 3986, section 2.
    package static let uri = UnescapedCharacters(alphanumericsAnd: "-._~:/?#[]@!$&'()*+,;=")
    /// Those of `application/x-www-form-urlencoded` (WHATWG URL, section 5), where a space is `+`.
    package static let form = UnescapedCharacters(alphanumericsAnd: "*-._")
    /// Those of JavaScript's `encodeURIComponent`.
    package static let uriComponent = UnescapedCharacters(alphanumericsAnd: "-_.!~*'()")
    /// `attr-char` of RFC 8187, section 3.2.1: `tchar` without the three characters that the notation itself uses.
    package static let extendedValue = UnescapedCharacters(alphanumericsAnd: "!#$&+-.^_`|~")
}

extension [UInt8] {
    /// Appends percent-encoded bytes.
    /// - Parameter spaceIsPlus: true writes a space as `+`.
    @inlinable package mutating func append(
        percentEncoding bytes: some Sequence<UInt8>, except unescaped: UnescapedCharacters, spaceIsPlus: Bool = false
    ) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { buffer in
            append(percentEncodingBuffer: buffer, except: unescaped, spaceIsPlus: spaceIsPlus)
        }
        guard isDone == nil else { return }
        for byte in bytes {
            if unescaped.contains(byte) { append(byte) } else { append(escaped: byte, spaceIsPlus) }
        }
    }

    /// Appends each run of bytes that stay as a whole.
    @usableFromInline mutating func append(
        percentEncodingBuffer buffer: UnsafeBufferPointer<UInt8>, except unescaped: UnescapedCharacters,
        spaceIsPlus: Bool
    ) {
        var start = 0
        for index in buffer.indices where !unescaped.contains(buffer[index]) {
            append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start..<index]))
            append(escaped: buffer[index], spaceIsPlus)
            start = index + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
    }

    @inlinable mutating func append(escaped byte: UInt8, _ spaceIsPlus: Bool) {
        if spaceIsPlus, byte == 0x20 { append(UInt8(ascii: "+")) } else { append(percentEncoded: byte) }
    }
}

extension String {
    /// The UTF-8 of the text, percent-encoded.
    package func percentEncoded(except unescaped: UnescapedCharacters) -> String {
        encoded(except: unescaped, spaceIsPlus: false)
    }

    /// The text as a name or value of `application/x-www-form-urlencoded`.
    package var formEncoded: String { encoded(except: .form, spaceIsPlus: true) }

    private func encoded(except unescaped: UnescapedCharacters, spaceIsPlus: Bool) -> String {
        String(unsafeUninitializedCapacity: unescaped.capacity(for: self, spaceIsPlus: spaceIsPlus)) { buffer in
            var writer = PercentEncodingWriter(buffer)
            writer.write(self, except: unescaped, spaceIsPlus: spaceIsPlus)
            return writer.count
        }
    }
}
