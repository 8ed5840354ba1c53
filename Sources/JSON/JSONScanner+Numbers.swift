import Foundation

extension JSONScanner {
    /// Reads a number: an integer if it has no fraction and no exponent, fits in 64 bits and is not `-0`.
    mutating func number() throws(Stop) -> Scalar {
        let start = position
        let decimal = try self.decimal()
        if decimal.isExact {
            if decimal.isWhole {
                let significand = decimal.significand
                if !decimal.isNegative, significand <= UInt64(Int64.max) { return .integer(Int64(significand)) }
                // -0 has no integer form and becomes a real below.
                if decimal.isNegative, significand > 0, significand <= UInt64(Int64.max) + 1 {
                    return .integer(Int64(truncatingIfNeeded: 0 &- significand))
                }
            }
            if let value = decimal.double, !keepsLongNumbers || decimal.isHeld(by: value) { return .real(value) }
        }
        let text = UnsafeBufferPointer(start: start, count: position - start)
        let digits = keepsLongNumbers ? Self.significantDigits(in: text) : []
        // A shortest form of a `Double` has at most 17.
        if digits.count > 17 { return .text(text) }
        guard let value = JSONDecimal.double(of: text), value.isFinite else {
            throw Stop(offset: start - base, expected: .finite)
        }
        return digits.count <= 15 || Self.holds(digits, value) ? .real(value) : .text(text)
    }

    /// True if a number, rounded to as many digits, has these ones: as its shortest form, or with more than that needs.
    @inline(never)
    private static func holds(_ digits: ArraySlice<UInt8>, _ value: Double) -> Bool {
        func has(_ text: String) -> Bool {
            var text = text
            return text.withUTF8 { significantDigits(in: $0) } == digits
        }
        return has(value.description) || has(String(format: "%.\(digits.count - 1)e", value))
    }

    /// Reads the digits of a number.
    @inline(__always)
    mutating func decimal() throws(Stop) -> JSONDecimal {
        var decimal = JSONDecimal()
        decimal.isNegative = take("-")
        if take("0") {
            decimal.digits = 1
            // Fails at this offset, so that the error does not depend on how many bytes follow.
            if byte &- UInt8(ascii: "0") <= 9 { throw stop(.number) }
        } else {
            decimal.digits = try digits(into: &decimal.significand)
        }
        if take(".") {
            decimal.isWhole = false
            let fraction = try digits(into: &decimal.significand)
            decimal.digits += fraction
            decimal.exponent = -fraction
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            decimal.isWhole = false
            decimal.exponent += try exponent()
        }
        // More digits may follow in the next chunk.
        if isAtEnd, isPartial { throw stop(.commaOrEnd) }
        return decimal
    }

    /// The digits without leading zeros, and without those at the end, except of a number that is only digits.
    private static func significantDigits(in number: UnsafeBufferPointer<UInt8>) -> ArraySlice<UInt8> {
        let significand = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var digits = significand.filter { (48...57).contains($0) }.drop { $0 == 48 }
        guard significand.count < number.count || significand.contains(UInt8(ascii: ".")) else { return digits }
        while digits.last == 48 { digits.removeLast() }
        return digits
    }

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
        // One that may have wrapped around, or has leading zeros, only needs to be too large for the fast paths.
        if try digits(into: &exponent) > 9 { exponent = UInt64(JSONDecimal.largeExponent) }
        return isNegative ? -Int(exponent) : Int(exponent)
    }
}
