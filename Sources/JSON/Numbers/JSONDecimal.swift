/// Decimal number as it is written in JSON: sign, digits and a power of ten.
struct JSONDecimal {
    /// The digits as an integer; wraps around with more than 19 digits.
    var significand: UInt64 = 0
    /// Number of digits, with leading zeros.
    var digits = 0
    /// The power of ten by which the digits are multiplied.
    var exponent = 0
    var isNegative = false
    /// True without fraction and exponent.
    var isWhole = true

    /// True when ``significand`` is exact: nineteen digits always fit into 64 bits.
    var isExact: Bool { digits <= 19 }

    /// The nearest `Double`; nil if it needs a slower algorithm, or is out of range. Requires ``isExact``.
    @inline(__always)
    var double: Double? {
        // Clinger's fast path (1990): both operands are exact, so the result is correctly rounded.
        if significand <= 1 << 53, abs(exponent) < 23 {
            let power = Self.powersOfTen[abs(exponent)]
            let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
            return isNegative ? -magnitude : magnitude
        }
        return Self.magnitude(significand, exponent).map { isNegative ? -$0 : $0 }
    }

    /// True if a `Double`, to which the number was rounded, has its digits: all of at most 15, or those of its shortest
    /// form. False if that is undecided. Requires ``isExact``.
    @inline(__always)
    func isHeld(by value: Double) -> Bool { significand < Self.firstWith16Digits || hasShortestDigits(of: value) }

    @inline(never)
    private func hasShortestDigits(of value: Double) -> Bool {
        // Zeros at the end of a number that is only digits count.
        guard !isWhole else { return false }
        let digits = Self.withoutTrailingZeros(significand)
        if digits < Self.firstWith16Digits { return true }
        // At most 17 digits, and the zero of a whole number.
        var shortest: UInt64 = 0
        for byte in value.description.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".") {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            shortest = shortest &* 10 &+ UInt64(digit)
        }
        return digits == Self.withoutTrailingZeros(shortest)
    }

    private static func withoutTrailingZeros(_ digits: UInt64) -> UInt64 {
        var digits = digits
        while digits != 0, digits.isMultiple(of: 10) { digits /= 10 }
        return digits
    }

    private static let firstWith16Digits: UInt64 = 1_000_000_000_000_000

    /// The nearest `Double` to an integer times a power of ten; nil if the result is undecided, zero or infinite.
    ///
    /// The algorithm of Eisel and Lemire ("Number Parsing at a Gigabyte per Second", 2021): the product with a
    /// truncated power of five has enough bits to round, unless it is within the error of a half. Those rare cases, and
    /// subnormal numbers, are left to the caller.
    static func magnitude(_ significand: UInt64, _ exponent: Int) -> Double? {
        guard significand != 0 else { return 0 }
        guard PowersOfFive.exponents.contains(exponent) else { return nil }
        let leadingZeros = significand.leadingZeroBitCount
        let normalized = significand << UInt64(leadingZeros)
        let power = PowersOfFive.table[exponent - PowersOfFive.exponents.lowerBound]
        var product = normalized.multipliedFullWidth(by: power.high)
        // The lower 9 bits decide the rounding. If they are all set, the truncated half of the power may carry.
        if product.high & 0x1FF == 0x1FF {
            let second = normalized.multipliedFullWidth(by: power.low)
            let (low, overflow) = product.low.addingReportingOverflow(second.high)
            product = (product.high + (overflow ? 1 : 0), low)
            if product.low == .max, !(-27...55).contains(exponent) { return nil }
        }
        let upper = product.high >> 63
        var mantissa = product.high >> (upper + 9)
        // 217706 / 65536 approximates the binary logarithm of ten.
        let binaryExponent = (217_706 &* exponent) >> 16 + 63
        var biased = binaryExponent - leadingZeros + Int(upper) + 1023
        guard biased >= 1 else { return nil }
        // Exactly between two numbers: rounds to the even one.
        if product.low <= 1, (-4...23).contains(exponent), mantissa & 3 == 1,
            mantissa << (upper + 9) == product.high
        {
            mantissa &= ~1
        }
        mantissa = (mantissa + (mantissa & 1)) >> 1
        if mantissa >= 1 << 53 {
            mantissa = 1 << 52
            biased += 1
        }
        guard biased < 2047 else { return nil }
        return Double(bitPattern: mantissa & ~(1 << 52) | UInt64(biased) << 52)
    }

    /// The exponent of a number whose written exponent has ten digits or more.
    static let largeExponent = 1_000_000_000

    /// The powers of ten that are exact as a double; never changed nor deallocated.
    nonisolated(unsafe) private static let powersOfTen: UnsafePointer<Double> = {
        let powers = UnsafeMutablePointer<Double>.allocate(capacity: 23)
        for exponent in 0..<23 { powers[exponent] = exponent == 0 ? 1 : powers[exponent - 1] * 10 }
        return UnsafePointer(powers)
    }()
}
