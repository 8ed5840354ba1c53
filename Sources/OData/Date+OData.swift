import Foundation
import HTTPMessages

extension Date {
    /// Parses `/Date(1272931140000)/` of JSON, and `2010-05-03T23:59:00` of Atom, without a zone in UTC.
    ///
    /// Nil outside of the years 1 to 9999, which are all that `Edm.DateTime` has.
    ///
    /// The offset in `/Date(1272931140000+0060)/` does not change the time, but tells how to show it.
    init?(odata text: String) {
        var input = DateScanner(text)
        guard let seconds = text.utf8.first == UInt8(ascii: "/") ? input.ticks() : input.dateTime(),
            Self.odataRange.contains(seconds)
        else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }

    /// The seconds since 1970 of the years 1 to 9999.
    private static let odataRange = -62_135_596_800.0..<253_402_300_800
}

extension DateScanner {
    /// `/Date(` milliseconds, optional offset, `)/`; in seconds since 1970.
    fileprivate mutating func ticks() -> Double? {
        guard skip("/Date(") else { return nil }
        let isNegative = skip("-")
        guard let milliseconds = number(digits: 1...18) else { return nil }
        if skip("+") || skip("-") { guard number(digits: 1...4) != nil else { return nil } }
        guard skip(")/"), isAtEnd else { return nil }
        return Double(isNegative ? -milliseconds : milliseconds) / 1000
    }

    /// Date, `T`, time and optional zone (ISO 8601); in seconds since 1970.
    fileprivate mutating func dateTime() -> Double? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2), skip("T"), let hour = number(digits: 2), skip(":"),
            let minute = number(digits: 2),
            let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: 0)
        else { return nil }
        var (second, fraction) = (0, 0.0)
        if skip(":") {
            guard let whole = number(digits: 2), whole < 60, let part = self.fraction(maximumDigits: 12) else {
                return nil
            }
            (second, fraction) = (whole, part)
        }
        guard let offset = skip("Z") || isAtEnd ? 0 : offset(), isAtEnd else { return nil }
        let whole = Double(time.secondsSince1970 - Int64(offset) + Int64(second))
        // A fraction is not rounded up to the next second, which may be in the year 10000.
        return min(whole + fraction, (whole + 1).nextDown)
    }
}
