/// A non-negative software float with a 64-bit significand: x86's 80-bit `long double`.
///
/// SQLite before 3.43 rounds and parses numbers with it. Where that misses the nearest double by a unit in the last
/// place, `round` must give the same result.
struct SQLExtendedReal {
    /// Normalized: the highest bit is set, except for zero.
    private let significand: UInt64
    /// Binary exponent of the significand's lowest bit.
    private let exponent: Int

    /// - Parameter value: finite, and not negative.
    init(_ value: Double) {
        let bits = value == 0 ? 0 : UInt64(value.significand * 0x1p63)
        self.init(rounding: UInt128(bits), value == 0 ? 0 : Int(value.exponent) - 63)
    }

    init(_ value: UInt64) { self.init(rounding: UInt128(value), 0) }

    /// Rounds to nearest, ties to even.
    /// - Parameter hasRest: sticky bit: true if nonzero bits were dropped below `wide`.
    private init(rounding wide: UInt128, _ power: Int, hasRest: Bool = false) {
        let width = UInt128.bitWidth - wide.leadingZeroBitCount
        guard width > 64 else {
            significand = width == 0 ? 0 : UInt64(wide) << UInt64(64 - width)
            exponent = width == 0 ? 0 : power - (64 - width)
            return
        }
        let excess = width - 64
        let kept = UInt64(truncatingIfNeeded: wide >> UInt128(excess))
        let rest = wide & ((UInt128(1) << UInt128(excess)) - 1)
        let half = UInt128(1) << UInt128(excess - 1)
        let isUp = rest > half || rest == half && (hasRest || kept & 1 == 1)
        let isCarried = isUp && kept == .max
        significand = isCarried ? 1 << 63 : kept + (isUp ? 1 : 0)
        exponent = power + excess + (isCarried ? 1 : 0)
    }

    /// The nearest double.
    var double: Double {
        // Only the conversion to 53 bits rounds; scaling is exact.
        Double(sign: .plus, exponent: exponent, significand: Double(significand))
    }

    var isZero: Bool { significand == 0 }

    static func + (left: SQLExtendedReal, right: SQLExtendedReal) -> SQLExtendedReal {
        if left.isZero || right.isZero { return left.isZero ? right : left }
        let (large, small) = left.exponent >= right.exponent ? (left, right) : (right, left)
        let distance = min(large.exponent - small.exponent, 127)
        let aligned = UInt128(small.significand) << 63
        let shifted = aligned >> UInt128(distance)
        return SQLExtendedReal(
            rounding: UInt128(large.significand) << 63 + shifted, large.exponent - 63,
            hasRest: shifted << UInt128(distance) != aligned)
    }

    static func * (left: SQLExtendedReal, right: SQLExtendedReal) -> SQLExtendedReal {
        SQLExtendedReal(
            rounding: UInt128(left.significand) * UInt128(right.significand), left.exponent + right.exponent)
    }

    static func / (left: SQLExtendedReal, right: SQLExtendedReal) -> SQLExtendedReal {
        let divisor = UInt128(right.significand)
        let (high, rest) = (UInt128(left.significand) << 63).quotientAndRemainder(dividingBy: divisor)
        let (low, last) = (rest << 63).quotientAndRemainder(dividingBy: divisor)
        return SQLExtendedReal(
            rounding: high << 63 + low, left.exponent - right.exponent - 126, hasRest: last != 0)
    }

    static func >= (left: SQLExtendedReal, right: SQLExtendedReal) -> Bool {
        if left.isZero || right.isZero { return right.isZero }
        return (left.exponent, left.significand) >= (right.exponent, right.significand)
    }

    /// Removes and returns the integer part of a number below 10.
    mutating func takeDigit() -> UInt8 {
        guard exponent > -64, !isZero else { return 0 }
        let digit = significand >> UInt64(-exponent)
        self = SQLExtendedReal(rounding: UInt128(significand - digit << UInt64(-exponent)), exponent)
        return UInt8(truncatingIfNeeded: digit)
    }
}
