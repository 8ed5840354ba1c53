import StoreCore

extension SQLNumber {
    /// Rounds a number to `places` digits after the point, bit for bit like `%.*f` of SQLite 3.40.
    ///
    /// SQLite adds half of the last digit and a little more, then truncates; so 2.675 becomes 2.68, though the double
    /// is less than 2.675. It generates at most 16 significant digits.
    /// - Parameter value: of a magnitude of at most 2 to the power of 52.
    static func rounded(_ value: Double, places: Int) -> Double {
        let magnitude = SQLExtendedReal(value.magnitude)
        guard !magnitude.isZero else { return 0 }
        var half = halves[places % 10]
        for _ in 0..<places / 10 { half *= 1e-10 }
        let power = Int(value.magnitude.exponentBitPattern) - 1023
        if places + power / 3 < 15 { half = (SQLExtendedReal(half) + magnitude * SQLExtendedReal(3e-16)).double }
        let (first, exponent) = normalized(magnitude + SQLExtendedReal(half))
        var rest = first
        // The digits as an integer, and the number of them after the point.
        var digits: UInt64 = 0
        var scale = 0
        var isFull = false
        var left = 16
        func next() -> UInt64 {
            guard left > 0 else { return 0 }
            left -= 1
            let digit = rest.takeDigit()
            rest = rest * ten
            return UInt64(digit)
        }
        var place = max(exponent, 0)
        while place >= -places {
            let digit = place > exponent ? 0 : next()
            // SQLite parses its own text back, and ignores further digits.
            if digits >= (UInt64(Int64.max) - 9) / 10 { isFull = true }
            if !isFull {
                digits = digits * 10 + digit
                if place < 0 { scale += 1 }
            }
            place -= 1
        }
        while scale > 0, digits % 10 == 0 {
            digits /= 10
            scale -= 1
        }
        let result = scale == 0 ? Double(digits) : (SQLExtendedReal(digits) / powerOfTen(scale)).double
        return value < 0 ? -result : result
    }

    private static let halves = [0.5, 0.05, 0.005, 0.0005, 5e-5, 5e-6, 5e-7, 5e-8, 5e-9, 5e-10]
    private static let ten = SQLExtendedReal(10 as UInt64)

    /// Normalizes to 1..<10 and a decimal exponent.
    private static func normalized(_ value: SQLExtendedReal) -> (SQLExtendedReal, exponent: Int) {
        var exponent = 0
        var scale: UInt64 = 1
        while value >= SQLExtendedReal(scale * 10) {
            scale *= 10
            exponent += 1
        }
        var value = value / SQLExtendedReal(scale)
        while !(value >= SQLExtendedReal(1e-8)) {
            value = value * SQLExtendedReal(1e8)
            exponent -= 8
        }
        while !(value >= SQLExtendedReal(1 as UInt64)) {
            value = value * ten
            exponent -= 1
        }
        return (value, exponent)
    }

    private static func powerOfTen(_ exponent: Int) -> SQLExtendedReal {
        (0..<exponent).reduce(SQLExtendedReal(1 as UInt64)) { power, _ in power * ten }
    }
}
