/// Numbers in text, read and written as SQLite does it.
enum SQLNumber {
    /// What a text is as a number with a fraction.
    struct Real {
        enum Form {
            /// No number, or one with something behind it.
            case none
            /// A number with a point or an exponent, and something behind it.
            case prefix
            /// Only digits.
            case integer
            /// Digits with a point or an exponent.
            case real
        }
        /// The value of the longest prefix that is a number; 0 without one.
        let value: Double
        let form: Form
        var isNumber: Bool { form == .integer || form == .real }
    }

    /// What a text is as an integer.
    struct Integer {
        /// The value of the longest prefix that is an integer, the nearest one when it does not fit.
        let value: Int64
        /// True when 64 bits were enough.
        let fits: Bool
        /// True when nothing but space follows.
        let isAlone: Bool
        var isWhole: Bool { fits && isAlone }
    }

    /// SQLite's `sqlite3Atoi64`.
    /// - Returns: nil when the text does not begin with an integer.
    static func integer(_ text: ArraySlice<UInt8>) -> Integer? {
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            var isNegative = false
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                isNegative = bytes[index] == UInt8(ascii: "-")
                index += 1
            }
            let first = index
            var value: Int64 = 0
            var fits = true
            while index < bytes.count, SQLLexer.isDigit(bytes[index]) {
                // Counting down reaches one more number than counting up.
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, overflowToo) = product.subtractingReportingOverflow(Int64(bytes[index] - 0x30))
                if overflow || overflowToo { fits = false }
                value = sum
                index += 1
            }
            guard index > first else { return nil }
            if fits, !isNegative, value == .min { fits = false }
            let isAlone = bytes[index...].allSatisfy(isSpace)
            let result = !fits ? (isNegative ? Int64.min : .max) : isNegative ? value : -value
            return Integer(value: result, fits: fits, isAlone: isAlone)
        }
    }

    /// What SQLite's `sqlite3AtoF` takes for a number, and the double that is nearest to it. (SQLite's own may be its
    /// neighbour.)
    static func real(_ text: ArraySlice<UInt8>) -> Real {
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            func digits() -> Int {
                let start = index
                while index < bytes.count, SQLLexer.isDigit(bytes[index]) { index += 1 }
                return index - start
            }
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            let start = index
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                index += 1
            }
            var digitCount = digits()
            var marks = 0
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                marks += 1
                index += 1
                digitCount += digits()
            }
            var end = index
            var isExponentValid = true
            if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
                isExponentValid = false
                marks += 1
                index += 1
                if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                    index += 1
                }
                if digits() > 0 {
                    isExponentValid = true
                    end = index
                }
            }
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            guard digitCount > 0 else {
                // As in SQLite, a sign alone is one of zero.
                let isNegative = start < bytes.count && bytes[start] == UInt8(ascii: "-")
                return Real(value: isNegative ? -0.0 : 0, form: .none)
            }
            let value = double(UnsafeBufferPointer(rebasing: bytes[start..<end]))
            if index == bytes.count, isExponentValid { return Real(value: value, form: marks > 0 ? .real : .integer) }
            return Real(value: value, form: marks == 2 || marks == 1 && isExponentValid ? .prefix : .none)
        }
    }

    /// The value of a well-formed number.
    private static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double {
        // Exact for up to 15 digits and small powers of ten, and much faster than the library.
        if bytes.count <= 18, let value = shortDouble(bytes) { return value }
        // Not strtod, whose decimal point is that of the program's locale.
        return Double(String(decoding: bytes, as: UTF8.self)) ?? 0
    }

    private static func shortDouble(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        var mantissa: Int64 = 0
        var digits = 0
        var scale = 0
        var isFraction = false
        var isNegative = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "+"): break
            case UInt8(ascii: "."): isFraction = true
            case 0x30...0x39:
                mantissa = mantissa * 10 + Int64(byte - 0x30)
                if mantissa > 0 { digits += 1 }
                if isFraction { scale += 1 }
            default: return nil
            }
        }
        guard digits <= 15 else { return nil }
        let value = Double(mantissa) / powersOfTen[scale]
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = (0...18).map { Double("1e\($0)") ?? 1 }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
