/// Position in the text of a statement, and SQLite's rules of bytes that every reader of SQL shares.
@usableFromInline
package struct SQLCursor {
    @usableFromInline package let bytes: [UInt8]
    @usableFromInline package var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// True after the last byte.
    @inlinable
    package var isAtEnd: Bool { position >= bytes.count }

    /// The byte at an offset from the position; 0 at the end, which is no name byte.
    @inlinable
    package func byte(at offset: Int = 0) -> UInt8 { position + offset < bytes.count ? bytes[position + offset] : 0 }

    /// Skips white space, byte order marks and comments.
    ///
    /// An unterminated comment extends to the end of the text.
    package mutating func skipSpace() {
        while !isAtEnd {
            if Self.isSpace(byte()) {
                position += 1
            } else if byte() == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF {
                position += 3
            } else if byte() == UInt8(ascii: "-"), byte(at: 1) == UInt8(ascii: "-") {
                position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            } else if byte() == UInt8(ascii: "/"), byte(at: 1) == UInt8(ascii: "*") {
                position += 2
                while !isAtEnd, !(byte() == UInt8(ascii: "*") && byte(at: 1) == UInt8(ascii: "/")) { position += 1 }
                position = min(position + 2, bytes.count)
            } else {
                return
            }
        }
    }

    /// Skips what is in quotes or brackets, and begins at the position; a doubled quote is an escaped one.
    /// - Returns: the bytes between the quotes; nil when they are not closed.
    package mutating func quoted() -> [UInt8]? {
        let bracket = UInt8(ascii: "]")
        let quote = byte() == UInt8(ascii: "[") ? bracket : byte()
        position += 1
        var content: [UInt8] = []
        while !isAtEnd {
            if byte() == quote {
                position += 1
                guard quote != bracket, !isAtEnd, byte() == quote else { return content }
            }
            content.append(byte())
            position += 1
        }
        return nil
    }

    @inlinable
    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }

    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// True for the bytes of names without quotes: ASCII letters, digits, `_`, `$` and all bytes beyond ASCII.
    @inlinable
    package static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }
}
