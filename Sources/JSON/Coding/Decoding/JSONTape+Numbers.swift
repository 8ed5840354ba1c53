import Foundation

extension JSONTape {
    /// Reads an integer that is not one in the text, or does not fit; without rounding.
    @inline(never)
    func unusualInteger<Integer: FixedWidthInteger>(_ type: Integer.Type, at position: TapePosition) throws -> Integer {
        let entry = entries[position.index]
        switch entry.kind {
        case .integer, .unsigned:
            if entry.kind == .unsigned, let value = Integer(exactly: entry.payload) { return value }
        case .real, .number:
            if let value: Integer = exactInteger(number(at: position.index)) { return value }
        default:
            throw mismatch(type, at: position)
        }
        throw doesNotFit(type, at: position)
    }

    /// The value of a number if it is whole and fits.
    private func exactInteger<Integer: FixedWidthInteger>(_ text: UnsafeBufferPointer<UInt8>) -> Integer? {
        let isNegative = text.first == UInt8(ascii: "-")
        let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") }
        let significand = text[..<(mark ?? text.endIndex)]
        let exponent = mark.map { JSONDecimal.writtenExponent(UnsafeBufferPointer(rebasing: text[($0 + 1)...])) } ?? 0
        let point = significand.firstIndex(of: UInt8(ascii: ".")) ?? significand.endIndex
        // Digits before this many are whole ones, after the exponent has moved the point.
        let wholeDigits = point - (isNegative ? 1 : 0) + exponent
        var value: Integer = 0
        var digits = 0
        for byte in significand {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { continue }
            if digits < wholeDigits {
                guard let next = value.appending(digit, isNegative: isNegative) else { return nil }
                value = next
            } else if digit != 0 {
                return nil
            }
            digits += 1
        }
        // Zeros that the exponent appends.
        while value != 0, digits < wholeDigits {
            guard let next = value.appending(0, isNegative: isNegative) else { return nil }
            value = next
            digits += 1
        }
        return value
    }

    /// Reads a number that the scanner left in the text, or a string that stands for infinity or NaN.
    @inline(never)
    func unusualDouble(at position: TapePosition) throws -> Double {
        let entry = entries[position.index]
        switch entry.kind {
        case .unsigned:
            return Double(entry.payload)
        case .number:
            guard let value = JSONDecimal.double(of: number(at: position.index)), value.isFinite,
                value != 0 || isZero(number(at: position.index))
            else { throw doesNotFit(Double.self, at: position) }
            return value
        case .string, .escapedString:
            return try nonConforming(Double.self, at: position)
        default:
            throw mismatch(Double.self, at: position)
        }
    }

    /// Reads a `Float`, rounded once.
    func float(at position: TapePosition) throws -> Float {
        let entry = entries[position.index]
        switch entry.kind {
        case .integer: return Float(Int64(bitPattern: entry.payload))
        case .unsigned: return Float(entry.payload)
        case .real, .number:
            if entry.kind == .real, let value = Double(bitPattern: entry.payload).roundedOnce { return value }
            let text = number(at: position.index)
            guard let value = JSONDecimal.float(of: text), value.isFinite, value != 0 || isZero(text) else {
                throw doesNotFit(Float.self, at: position)
            }
            return value
        case .string, .escapedString:
            return try nonConforming(Float.self, at: position)
        default:
            throw mismatch(Float.self, at: position)
        }
    }

    /// True if all digits of a number are zero.
    private func isZero(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0) }
    }

    private func nonConforming<Value: BinaryFloatingPoint>(
        _ type: Value.Type, at position: TapePosition
    ) throws -> Value {
        if case .strings(let positiveInfinity, let negativeInfinity, let nan) = coding.nonConformingFloats {
            let text = string(of: entries[position.index])
            if text == positiveInfinity { return .infinity }
            if text == negativeInfinity { return -.infinity }
            if text == nan { return .nan }
        }
        throw mismatch(type, at: position)
    }

    /// Reads a `Decimal` from its digits, not through a `Double`; or a string that stands for NaN.
    func decimal(at position: TapePosition) throws -> Decimal {
        let entry = entries[position.index]
        switch entry.kind {
        case .integer: return Decimal(Int64(bitPattern: entry.payload))
        case .unsigned: return Decimal(entry.payload)
        case .real, .number:
            let text = String(decoding: number(at: position.index), as: UTF8.self)
            guard let value = Decimal(string: text, locale: nil), value.isFinite else {
                throw doesNotFit(Decimal.self, at: position)
            }
            return value
        case .string, .escapedString:
            if case .strings(_, _, let nan) = coding.nonConformingFloats, string(of: entry) == nan { return .nan }
            throw mismatch(Decimal.self, at: position)
        default:
            throw mismatch(Decimal.self, at: position)
        }
    }
}

extension FixedWidthInteger {
    /// The number with one more decimal digit; nil on overflow.
    fileprivate func appending(_ digit: UInt8, isNegative: Bool) -> Self? {
        let (product, overflow) = multipliedReportingOverflow(by: 10)
        // A type with seven bits or fewer does not exist, so a digit fits.
        let (value, carry) =
            isNegative
            ? product.subtractingReportingOverflow(Self(digit)) : product.addingReportingOverflow(Self(digit))
        return overflow || carry ? nil : value
    }
}

extension Double {
    /// The nearest `Float` to the decimal number that this is the nearest `Double` to; nil when that is undecided.
    ///
    /// Rounding twice goes wrong if the first result is exactly between two values of `Float`.
    fileprivate var roundedOnce: Float? {
        let float = Float(self)
        guard float.isFinite, abs(float) >= .leastNormalMagnitude,
            significandBitPattern & 0x1FFF_FFFF != 0x1000_0000
        else { return self == 0 ? float : nil }
        return float
    }
}
