extension JSONScanner {
    /// Reads a number: an integer if it has no fraction and no exponent, fits in 64 bits and is not `-0`.
    mutating func number() throws(Stop) -> Scalar {
        let start = position
        let isNegative = take("-")
        var significand: UInt64 = 0
        var digits = 1
        if take("0") {
            // Fails at this offset, so that the error does not depend on how many bytes follow.
            if byte &- UInt8(ascii: "0") <= 9 { throw stop(.number) }
        } else {
            digits = try self.digits(into: &significand)
        }
        var exponent = 0
        var isWhole = true
        if take(".") {
            isWhole = false
            let fraction = try self.digits(into: &significand)
            digits += fraction
            exponent = -fraction
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            exponent += try self.exponent()
        }
        // More digits may follow in the next chunk.
        if isAtEnd, isPartial { throw stop(.commaOrEnd) }
        // Nineteen digits always fit into 64 bits, so the significand is exact.
        if digits <= 19 {
            if isWhole {
                if !isNegative, significand <= UInt64(Int64.max) { return .integer(Int64(significand)) }
                // -0 has no integer form and becomes a real below.
                if isNegative, significand > 0, significand <= UInt64(Int64.max) + 1 {
                    return .integer(Int64(truncatingIfNeeded: 0 &- significand))
                }
            }
            // Clinger's fast path (1990): both operands are exact, so the result is correctly rounded.
            if significand <= 1 << 53, abs(exponent) < Self.powersOfTen.count {
                let power = Self.powersOfTen[abs(exponent)]
                let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
                return .real(isNegative ? -magnitude : magnitude)
            }
        }
        // Not strtod: its decimal point depends on the locale.
        let text = String(decoding: UnsafeBufferPointer(start: start, count: position - start), as: UTF8.self)
        if keepsLongNumbers, Self.significantDigits(in: text.utf8) > 17 {
            return .text(UnsafeBufferPointer(start: start, count: position - start))
        }
        guard let value = Double(text), value.isFinite else { throw Stop(offset: start - base, expected: .finite) }
        return .real(value)
    }

    /// The number of digits without leading zeros, and without those at the end of a fraction. A shortest form of a
    /// `Double` has at most 17.
    private static func significantDigits(in number: String.UTF8View) -> Int {
        let significand = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = significand.filter { (48...57).contains($0) }.drop { $0 == 48 }
        guard significand.contains(UInt8(ascii: ".")) else { return digits.count }
        return digits.count - digits.reversed().prefix { $0 == 48 }.count
    }

    /// The powers of ten that are exact as a double.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Reads at least one digit and returns their number. The value wraps around on overflow.
    @inline(__always)
    private mutating func digits(into number: inout UInt64) throws(Stop) -> Int {
        let start = position
        while true {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            number = number &* 10 &+ UInt64(digit)
            position += 1
        }
        guard position > start else { throw stop(.digit) }
        return position - start
    }

    private mutating func exponent() throws(Stop) -> Int {
        position += 1
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { position += 1 }
        var exponent: UInt64 = 0
        // An exponent that may have wrapped around only needs to be too large for the fast path.
        if try digits(into: &exponent) > 9 { return 1_000_000_000 }
        return isNegative ? -Int(exponent) : Int(exponent)
    }
}
