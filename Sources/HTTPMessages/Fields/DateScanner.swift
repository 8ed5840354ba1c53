/// Reads the parts of a date (ISO 8601) from its characters; regular expressions are slower.
package struct DateScanner {
    private var rest: Substring.UTF8View

    package init(_ text: String) { rest = text[...].utf8 }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads a text if it is next.
    package mutating func skip(_ text: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    /// Reads a number of exactly these many digits.
    package mutating func number(digits count: Int) -> Int? { number(digits: count...count) }

    /// Reads a number of as many digits as are next, up to a maximum; nil if they are too few.
    package mutating func number(digits counts: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(counts.upperBound).prefix(while: \.isDigit)
        guard digits.count >= counts.lowerBound else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int(Substring(digits))
    }

    /// Reads a point and the digits behind it; 0 if no point is next.
    package mutating func fraction(maximumDigits: Int = .max) -> Double? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix(while: \.isDigit)
        guard 1...maximumDigits ~= digits.count else { return nil }
        rest = rest.dropFirst(digits.count)
        return Double("0." + Substring(digits))
    }

    /// Reads an offset from UTC such as `+02:00`, in seconds.
    /// - Parameter isLenient: true reads any hours and minutes of two digits, also without the colon.
    package mutating func offset(isLenient: Bool = false) -> Int? {
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hours = number(digits: 2), skip(":") || isLenient,
            let minutes = number(digits: 2), isLenient || hours < 24 && minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -60 : 60)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
