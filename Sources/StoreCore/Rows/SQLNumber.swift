/// Parses and formats numbers as SQLite does.
package enum SQLNumber {
    /// Text parsed as a REAL.
    package struct Real {
        package enum Form {
            /// Not a number, or an integer with trailing text.
            case none
            /// A number with a point or an exponent, and trailing text.
            case prefix
            /// Only digits.
            case integer
            /// Digits with a point or an exponent.
            case real
        }
        /// Value of the longest numeric prefix; 0 if there is none.
        package let value: Double
        package let form: Form
        package var isNumber: Bool { form == .integer || form == .real }
    }

    /// Text parsed as an integer.
    package struct Integer {
        /// Value of the longest integer prefix, clamped to 64 bits.
        package let value: Int64
        /// True if it fits in 64 bits.
        package let fits: Bool
        /// True if only whitespace follows.
        package let endsText: Bool
        package var isWhole: Bool { fits && endsText }
    }

    /// Parses an integer as SQLite's `sqlite3Atoi64` does.
    /// - Returns: nil if the text does not start with an integer.
    package static func integer(_ text: ArraySlice<UInt8>) -> Integer? {
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
            while index < bytes.count, SQLCursor.isDigit(bytes[index]) {
                // Accumulated as a negative number: there is one more of these, `Int64.min`.
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, overflowToo) = product.subtractingReportingOverflow(Int64(bytes[index] - 0x30))
                if overflow || overflowToo { fits = false }
                value = sum
                index += 1
            }
            guard index > first else { return nil }
            if fits, !isNegative, value == .min { fits = false }
            let endsText = bytes[index...].allSatisfy(isSpace)
            let result = !fits ? (isNegative ? Int64.min : .max) : isNegative ? value : -value
            return Integer(value: result, fits: fits, endsText: endsText)
        }
    }

    /// Parses a REAL with the syntax of SQLite's `sqlite3AtoF`, to the nearest double. (SQLite's result may be off by
    /// one unit in the last place.)
    package static func real(_ text: ArraySlice<UInt8>) -> Real {
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            func digits() -> Int {
                let start = index
                while index < bytes.count, SQLCursor.isDigit(bytes[index]) { index += 1 }
                return index - start
            }
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            let start = index
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                index += 1
            }
            var digitCount = digits()
            var markCount = 0
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                markCount += 1
                index += 1
                digitCount += digits()
            }
            var end = index
            var isExponentValid = true
            if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
                isExponentValid = false
                markCount += 1
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
                // As in SQLite, a lone minus sign is -0.
                let isNegative = start < bytes.count && bytes[start] == UInt8(ascii: "-")
                return Real(value: isNegative ? -0.0 : 0, form: .none)
            }
            let value = double(UnsafeBufferPointer(rebasing: bytes[start..<end]))
            if index == bytes.count, isExponentValid {
                return Real(value: value, form: markCount > 0 ? .real : .integer)
            }
            return Real(value: value, form: markCount == 2 || markCount == 1 && isExponentValid ? .prefix : .none)
        }
    }

    /// Converts a well-formed number.
    private static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double {
        // Fast path (Clinger): exact for up to 15 digits and small powers of ten, and much faster than the library.
        if bytes.count <= 18, let value = shortDouble(bytes) { return value }
        // Not `strtod`, whose decimal point depends on the process locale.
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
