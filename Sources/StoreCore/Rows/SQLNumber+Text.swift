extension SQLNumber {
    package static func text(_ value: Int64) -> ArraySlice<UInt8> { ArraySlice(String(value).utf8) }

    /// Formats a REAL as SQLite does (`%!.15g`): at most 15 significant digits, always with a decimal point.
    package static func text(_ value: Double) -> ArraySlice<UInt8> {
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
}
