/// Decimal numbers as text, in the columns that convert them.
package enum DecimalText {
    /// Digits that SQLite preserves when it converts a text to a REAL (sqlite.org/datatype3.html, section 3).
    private static let realDigits = 15
    /// Powers of ten up to this one are exact in a REAL, so that the conversion rounds only once.
    private static let exactPower = 22

    /// True if a column of the affinity keeps the number.
    /// - Parameter text: a decimal number without an exponent.
    package static func isPreserved(_ text: String, in affinity: ColumnAffinity) -> Bool {
        if text.utf8.count <= realDigits { return true }
        switch affinity {
        case .text, .blob: return true
        // An integer of 64 bits is converted to an INTEGER.
        case .integer, .numeric: if Int64(text) != nil { return true }
        case .real: break
        }
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        let fraction = parts.count > 1 ? parts[1].count : 0
        let digits = parts.joined().drop { $0 == UInt8(ascii: "0") }
        let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        return digits.count - zeros <= realDigits && max(zeros - fraction, fraction - zeros) <= exactPower
    }
}
