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

/// Reads a date from its characters; a collection may have many, and regular expressions are slower.
private struct DateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    /// `/Date(` milliseconds, optional offset, `)/`; in seconds since 1970.
    mutating func ticks() -> Double? {
        guard skip("/Date(") else { return nil }
        let isNegative = skip("-")
        guard let milliseconds = number(digits: 1...18) else { return nil }
        if skip("+") || skip("-") { guard number(digits: 1...4) != nil else { return nil } }
        guard skip(")/"), rest.isEmpty else { return nil }
        return Double(isNegative ? -milliseconds : milliseconds) / 1000
    }

    /// Date, `T`, time and optional zone (ISO 8601); in seconds since 1970.
    mutating func dateTime() -> Double? {
        guard let year = number(digits: 4...4), skip("-"), let month = number(digits: 2...2), skip("-"),
            let day = number(digits: 2...2), skip("T"), let hour = number(digits: 2...2), skip(":"),
            let minute = number(digits: 2...2),
            let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: 0)
        else { return nil }
        var seconds = 0.0
        if skip(":") {
            guard let whole = number(digits: 2...2), whole < 60 else { return nil }
            seconds = Double(whole)
            if skip(".") {
                let count = rest.prefix { (0x30...0x39).contains($0) }.count
                guard let fraction = number(digits: 1...12) else { return nil }
                seconds += Double(fraction) / (0..<count).reduce(1.0) { power, _ in power * 10 }
            }
        }
        guard let offset = offset(), rest.isEmpty else { return nil }
        return Double(time.secondsSince1970 - Int64(offset) * 60) + seconds
    }

    /// The zone's offset in minutes; 0 without one.
    private mutating func offset() -> Int? {
        if skip("Z") || rest.isEmpty { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(digits: 2...2) else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2...2), hours < 24, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    private mutating func number(digits: ClosedRange<Int>) -> Int? {
        let found = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.contains(found.count) else { return nil }
        rest = rest.dropFirst(found.count)
        return Int(Substring(found))
    }
}
