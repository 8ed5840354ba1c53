extension UInt8 {
    /// True for the white space of JSON: space, tab, line feed, carriage return.
    package var isJSONWhitespace: Bool {
        self <= 0x20 && (self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09)
    }

    /// True for control characters, quote and backslash, which a JSON string must escape.
    package var needsJSONEscape: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
    }
}

extension UInt64 {
    /// Index of the first of eight bytes that a JSON string cannot contain as it is; nil without one (SWAR).
    ///
    /// A quote, a backslash, a control character, or a byte that is not ASCII. The first byte is the lowest.
    @inline(__always)
    var firstJSONSpecialByte: Int? {
        // Subtracting n from a byte below n borrows and sets its high bit (Bit Twiddling Hacks: hasless).
        let quotes = (self ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let backslashes = (self ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        let controls = self &- 0x2020_2020_2020_2020
        // The lowest set bit is right. Bits above it may be wrong, since a subtraction borrows only from higher bytes.
        let special = (quotes | backslashes | controls | self) & 0x8080_8080_8080_8080
        return special == 0 ? nil : special.trailingZeroBitCount / 8
    }
}
