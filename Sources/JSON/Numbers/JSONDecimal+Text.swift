extension JSONDecimal {
    /// The number nearest to a JSON number of any length; infinite or zero if it is out of range.
    ///
    /// Takes linear time, and allocates nothing unless the first 19 digits leave the result undecided.
    static func double(of text: UnsafeBufferPointer<UInt8>) -> Double? {
        let decimal = truncated(text)
        // The number lies between the two. If both round to the same one, so does it.
        if abs(decimal.exponent) < largeExponent, let lower = magnitude(decimal.significand, decimal.exponent),
            !decimal.hasMore || lower == magnitude(decimal.significand + 1, decimal.exponent)
        {
            return decimal.isNegative ? -lower : lower
        }
        // Not strtod: its decimal point depends on the locale.
        return Double(shortened(text))
    }

    /// The number nearest to a JSON number of any length, rounded once; infinite or zero if it is out of range.
    static func float(of text: UnsafeBufferPointer<UInt8>) -> Float? { Float(shortened(text)) }

    /// The first 19 significant digits; `hasMore` is true if one of the others is not zero.
    private static func truncated(
        _ text: UnsafeBufferPointer<UInt8>
    ) -> (significand: UInt64, exponent: Int, isNegative: Bool, hasMore: Bool) {
        var (significand, exponent, digits) = (UInt64(0), 0, 0)
        var (isFraction, hasMore) = (false, false)
        var index = text.first == UInt8(ascii: "-") ? 1 : 0
        let isNegative = index == 1
        while index < text.count, text[index] | 0x20 != UInt8(ascii: "e") {
            let digit = text[index] &- UInt8(ascii: "0")
            index += 1
            guard digit <= 9 else {
                isFraction = true
                continue
            }
            if digits < 19 {
                significand = significand * 10 + UInt64(digit)
                if significand > 0 { digits += 1 }
                if isFraction { exponent -= 1 }
            } else {
                hasMore = hasMore || digit != 0
                if !isFraction { exponent += 1 }
            }
        }
        if index < text.count {
            exponent += writtenExponent(UnsafeBufferPointer(rebasing: text[(index + 1)...]))
        }
        return (significand, exponent, isNegative, hasMore)
    }

    /// The value of an exponent with an optional sign; a large one is clamped.
    static func writtenExponent(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var value = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            if digit <= 9, value < largeExponent { value = value * 10 + Int(digit) }
        }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    /// The number without the digits that cannot change its rounding.
    ///
    /// For a `Double`, 767 significant digits and a sticky one suffice.
    private static func shortened(_ text: UnsafeBufferPointer<UInt8>) -> String {
        let limit = 800
        guard text.count > limit else { return String(decoding: text, as: UTF8.self) }
        var (result, exponent, digits) = ([UInt8](), 0, 0)
        var (isFraction, hasMore, index) = (false, false, 0)
        if text[0] == UInt8(ascii: "-") {
            result.append(text[0])
            index = 1
        }
        while index < text.count, text[index] | 0x20 != UInt8(ascii: "e") {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if digits < limit {
                if digits > 0 || byte != UInt8(ascii: "0") {
                    digits += 1
                    result.append(byte)
                }
                if isFraction { exponent -= 1 }
            } else {
                hasMore = hasMore || byte != UInt8(ascii: "0")
                if !isFraction { exponent += 1 }
            }
        }
        if index < text.count { exponent += writtenExponent(UnsafeBufferPointer(rebasing: text[(index + 1)...])) }
        if digits == 0 { result.append(UInt8(ascii: "0")) }
        if hasMore {
            result.append(UInt8(ascii: "1"))
            exponent -= 1
        }
        return String(decoding: result, as: UTF8.self) + "e\(exponent)"
    }
}
