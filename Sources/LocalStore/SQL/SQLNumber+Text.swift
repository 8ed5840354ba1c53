extension SQLNumber {
    static func text(_ value: Int64) -> ArraySlice<UInt8> { ArraySlice(String(value).utf8) }

    /// 15 digits at most and always a point, as SQLite writes a REAL (its own `%!.15g`).
    static func text(_ value: Double) -> ArraySlice<UInt8> {
        guard value.isFinite else { return ArraySlice((value < 0 ? "-Inf" : value > 0 ? "Inf" : "").utf8) }
        guard value != 0 else { return ArraySlice("0.0".utf8) }
        var decimal = SQLDecimal(value.magnitude)
        decimal.round(toDigits: 15)
        let digits = decimal.digits.map { $0 + UInt8(ascii: "0") }
        let exponent = decimal.exponent
        var text: [UInt8] = value < 0 ? [UInt8(ascii: "-")] : []
        if exponent < -4 || exponent > 14 {
            text.append(digits[0])
            text.append(UInt8(ascii: "."))
            text += digits.count > 1 ? digits[1...] : [UInt8(ascii: "0")]
            text += exponent < 0 ? "e-".utf8 : "e+".utf8
            let power = String(exponent.magnitude)
            if power.utf8.count < 2 { text.append(UInt8(ascii: "0")) }
            text += power.utf8
        } else if exponent < 0 {
            text += "0.".utf8
            text += repeatElement(UInt8(ascii: "0"), count: -exponent - 1)
            text += digits
        } else {
            let whole = digits.prefix(exponent + 1)
            text += whole
            text += repeatElement(UInt8(ascii: "0"), count: exponent + 1 - whole.count)
            text.append(UInt8(ascii: "."))
            text += digits.count > exponent + 1 ? digits[(exponent + 1)...] : [UInt8(ascii: "0")]
        }
        return text[...]
    }

    /// A number cut behind so many digits after the point, to 16 digits in all, as SQLite's `%.*f` does it. Before, that
    /// adds one half of the last digit and a little more, so that 2.675 becomes 2.68 though it is less than it looks.
    static func rounded(_ value: Double, places: Int) -> Double {
        let magnitude = value.magnitude
        guard magnitude > 0 else { return 0 }
        var half = halves[places % 10]
        for _ in 0..<places / 10 { half *= 1e-10 }
        let exponent = Int(magnitude.exponentBitPattern) - 1023
        if places + exponent / 3 < 15 { half += magnitude * 3e-16 }
        // The sum and what it lost, together exact (Knuth's two-sum).
        let sum = magnitude + half
        let other = sum - magnitude
        let rest = (magnitude - (sum - other)) + (half - other)
        var digits = added(fixed(sum), fixed(rest.magnitude), isNegative: rest < 0)
        digits.removeLast(fractionDigits - places)
        // Digits count from the first that is not zero.
        let first = digits.firstIndex { $0 > 0 } ?? digits.endIndex
        for index in digits.indices where index >= first + 16 { digits[index] = 0 }
        var text = digits.map { $0 + UInt8(ascii: "0") }
        text.insert(UInt8(ascii: "."), at: text.count - places)
        let result = real(text[...]).value
        return value < 0 ? -result : result
    }

    private static let halves = [0.5, 0.05, 0.005, 0.0005, 5e-5, 5e-6, 5e-7, 5e-8, 5e-9, 5e-10]
    private static let fractionDigits = 60
    private static let wholeDigits = 18

    /// The digits of a number below 10 to the power of 17, so many before and behind the point.
    private static func fixed(_ value: Double) -> [UInt8] {
        var digits = [UInt8](repeating: 0, count: wholeDigits + fractionDigits)
        guard value > 0 else { return digits }
        let decimal = SQLDecimal(value)
        let first = wholeDigits - 1 - decimal.exponent
        for (index, digit) in decimal.digits.enumerated() where first + index < digits.count {
            digits[first + index] = digit
        }
        return digits
    }

    private static func added(_ digits: [UInt8], _ others: [UInt8], isNegative: Bool) -> [UInt8] {
        var digits = digits
        var carry = 0
        for index in digits.indices.reversed() {
            let other = Int(others[index]) + carry
            var sum = Int(digits[index]) + (isNegative ? -other : other)
            carry = sum < 0 || sum > 9 ? 1 : 0
            sum += sum < 0 ? 10 : sum > 9 ? -10 : 0
            digits[index] = UInt8(sum)
        }
        return digits
    }
}
