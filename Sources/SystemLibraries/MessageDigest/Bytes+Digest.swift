extension [UInt8] {
    /// The bytes in lower-case hexadecimal digits.
    package var hexDigits: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(hexadecimalDigits[Int(byte >> 4)])
            text.append(hexadecimalDigits[Int(byte & 0xF)])
        }
        return text
    }

    /// Compares in a time that depends on the lengths only.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)
