/// The powers of five from -342 to 308, each as its 128 most significant bits, for ``JSONDecimal/double``.
///
/// Positive powers are truncated, negative ones rounded up, as the algorithm requires. The table is computed once, from
/// exact integers: a chain of multiplications by five, and of divisions of a large power of two by five.
enum PowersOfFive {
    static let exponents = -342...308

    /// High and low word of each power; never changed nor deallocated.
    nonisolated(unsafe) static let table: UnsafePointer<(high: UInt64, low: UInt64)> = {
        let table = UnsafeMutablePointer<(high: UInt64, low: UInt64)>.allocate(capacity: exponents.count)
        // 5^308 has 716 bits, in 12 words. Words are stored with the least significant first.
        var power = [UInt64](repeating: 0, count: 12)
        power[0] = 1
        for exponent in 0...exponents.upperBound {
            table[exponent - exponents.lowerBound] = leadingBits(power)
            var carry: UInt64 = 0
            for index in power.indices {
                let product = power[index].multipliedFullWidth(by: 5)
                let (low, overflow) = product.low.addingReportingOverflow(carry)
                power[index] = low
                carry = product.high + (overflow ? 1 : 0)
            }
        }
        // 5^342 has 795 bits. So a quotient of 2^959 has at least 164 bits, and repeated division stays exact.
        var quotient = [UInt64](repeating: 0, count: 15)
        quotient[14] = 1 << 63
        for exponent in stride(from: -1, through: exponents.lowerBound, by: -1) {
            var remainder: UInt64 = 0
            for index in quotient.indices.reversed() {
                (quotient[index], remainder) = UInt64(5).dividingFullWidth((remainder, quotient[index]))
            }
            var bits = leadingBits(quotient)
            // Up to 27, the reciprocal has to be rounded up. Below, rounding up and then truncating changes nothing.
            if exponent >= -27 {
                bits.low &+= 1
                if bits.low == 0 { bits.high += 1 }
            }
            table[exponent - exponents.lowerBound] = bits
        }
        return UnsafePointer(table)
    }()

    /// The 128 most significant bits of a number that is not zero.
    private static func leadingBits(_ words: [UInt64]) -> (high: UInt64, low: UInt64) {
        let top = words.lastIndex { $0 != 0 } ?? 0
        func word(_ index: Int) -> UInt64 { index >= 0 ? words[index] : 0 }
        let shift = UInt64(words[top].leadingZeroBitCount)
        func shifted(_ index: Int) -> UInt64 {
            word(index) << shift | (shift == 0 ? 0 : word(index - 1) >> (64 - shift))
        }
        return (shifted(top), shifted(top - 1))
    }
}
