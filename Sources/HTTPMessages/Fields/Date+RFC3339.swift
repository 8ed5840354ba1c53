package import Foundation

extension Date {
    /// The date of RFC 3339 in UTC with milliseconds; nil outside the years 1 to 9999.
    /// - Parameters:
    ///   - rule: how to round to milliseconds.
    ///   - omitsZeros: true leaves out milliseconds that are zero.
    package func rfc3339(rounded rule: FloatingPointRoundingRule, omitsZeros: Bool = false) -> String? {
        guard let total = Int64(exactly: (timeIntervalSince1970 * 1000).rounded(rule)) else { return nil }
        var (seconds, milliseconds) = total.quotientAndRemainder(dividingBy: 1000)
        if milliseconds < 0 { (seconds, milliseconds) = (seconds - 1, milliseconds + 1000) }
        guard let time = CivilTime(secondsSince1970: seconds) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ number: Int, _ digits: Int, _ end: Unicode.Scalar) {
            var divisor = [1, 10, 100, 1000][digits - 1]
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: end))
        }
        append(time.year, 4, "-")
        append(time.month, 2, "-")
        append(time.day, 2, "T")
        append(time.hour, 2, ":")
        append(time.minute, 2, ":")
        let isWhole = omitsZeros && milliseconds == 0
        append(time.second, 2, isWhole ? "Z" : ".")
        if !isWhole { append(Int(milliseconds), 3, "Z") }
        return String(decoding: text, as: UTF8.self)
    }
}
