/// The exact decimal expansion of a positive, finite double, by big-integer arithmetic.
struct SQLDecimal {
    /// Digit values, most significant first; the first is not zero.
    private(set) var digits: [UInt8]
    /// Number of digits after the decimal point; may exceed the number of digits.
    private(set) var scale: Int

    /// Decimal exponent of the first digit.
    var exponent: Int { digits.count - scale - 1 }

    init(_ value: Double) {
        // The value is an integer times a power of two; for a negative power, 1/2 is 5/10: multiply by 5 and shift the
        // point.
        var power = Int(value.exponent) - Double.significandBitCount
        var bits = UInt64(value.significand * 0x1p52)
        let shift = min(bits.trailingZeroBitCount, max(-power, 0))
        bits >>= UInt64(shift)
        power += shift
        var limbs = [UInt32(bits % Self.base), UInt32(bits / Self.base)]
        Self.multiply(&limbs, by: power < 0 ? 5 : 2, times: Int(power.magnitude))
        digits = []
        digits.reserveCapacity(limbs.count * 9)
        for limb in limbs.reversed() {
            var unit = UInt32(Self.base / 10)
            while unit > 0 {
                digits.append(UInt8(limb / unit % 10))
                unit /= 10
            }
        }
        digits.removeFirst(digits.firstIndex { $0 > 0 } ?? 0)
        scale = power < 0 ? -power : 0
    }

    /// Rounds half up to `count` digits, and drops trailing zeros.
    mutating func round(toDigits count: Int) {
        if count < digits.count {
            let roundsUp = digits[count] >= 5
            truncate(to: count)
            if roundsUp { increment() }
        }
        while digits.count > 1, digits.last == 0 { truncate(to: digits.count - 1) }
    }

    private mutating func truncate(to count: Int) {
        scale -= digits.count - count
        digits.removeLast(digits.count - count)
    }

    private mutating func increment() {
        for index in digits.indices.reversed() {
            guard digits[index] == 9 else {
                digits[index] += 1
                return
            }
            digits[index] = 0
        }
        digits.insert(1, at: 0)
    }

    // MARK: Big integers, in base 1e9, least significant limb first

    private static let base: UInt64 = 1_000_000_000

    private static func multiply(_ limbs: inout [UInt32], by factor: UInt64, times: Int) {
        // Multiply by as largeFactor factors at once as fit in a limb.
        let step = factor == 5 ? 12 : 29
        let largeFactor = (0..<step).reduce(UInt64(1)) { product, _ in product * factor }
        for _ in 0..<times / step { multiply(&limbs, by: largeFactor) }
        for _ in 0..<times % step { multiply(&limbs, by: factor) }
    }

    private static func multiply(_ limbs: inout [UInt32], by factor: UInt64) {
        var carry: UInt64 = 0
        for index in limbs.indices {
            let product = UInt64(limbs[index]) * factor + carry
            limbs[index] = UInt32(product % base)
            carry = product / base
        }
        if carry > 0 { limbs.append(UInt32(carry)) }
    }
}
