import Foundation

/// Dates as RFC 3339 writes them, a profile of ISO 8601.
enum ISO8601 {
    /// Reads a date such as `2026-01-31T12:30:00.25Z` or with an offset such as `+02:00` or `+0200`; nil for any
    /// other form.
    static func date(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(text, 0..<4), let month = number(text, 5..<7), let day = number(text, 8..<10),
            let hour = number(text, 11..<13), let minute = number(text, 14..<16), let second = number(text, 17..<19),
            1...12 ~= month, 1...daysIn(month, year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var fraction = 0.0
        if text[index] == UInt8(ascii: ".") {
            let start = index + 1
            index = text[start...].firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } ?? text.endIndex
            // Nanoseconds; a `Date` holds less.
            guard index > start, let digits = number(text, start..<min(index, start + 9)) else { return nil }
            fraction = Double(digits) / powersOfTen[min(index - start, 9)]
        }
        guard index < text.count, let offset = offset(text[index...]) else { return nil }
        // 2001-01-01 is 730,791 days after the first of March of the year 0.
        let days = daysSinceMarch(year: year, month: month, day: day) - 730_791
        let seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    /// Writes a date in UTC, rounded down to seconds, or to the nearest millisecond.
    static func text(_ date: Date, hasMilliseconds: Bool) -> String {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: hasMilliseconds)
        guard hasMilliseconds else { return format.format(date) }
        // The format rounds down, and the nearest `Double` may be less; so from the middle of the millisecond.
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded()
        return format.format(Date(timeIntervalSinceReferenceDate: (milliseconds + 0.5) / 1000))
    }

    private static let powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// The offset from UTC in seconds, at the end of a date.
    private static func offset(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let text = UnsafeBufferPointer(rebasing: text)
        if text.count == 1, text[0] | 0x20 == UInt8(ascii: "z") { return 0 }
        let start = text.count == 6 && text[3] == UInt8(ascii: ":") ? 4 : 3
        guard text.count == start + 2, let hours = number(text, 1..<3), let minutes = number(text, start..<start + 2),
            hours < 24, minutes < 60
        else { return nil }
        switch text[0] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 31
        }
    }

    /// Days of the proleptic Gregorian calendar since 0000-03-01. The year begins in March, so that a leap day is last.
    private static func daysSinceMarch(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let month = month > 2 ? month - 3 : month + 9
        // Floor divisions; the year is -1 at least.
        let leapDays = (year + 400) / 4 - (year + 400) / 100 + (year + 400) / 400 - 97
        return year * 365 + leapDays + (month * 153 + 2) / 5 + day - 1
    }
}
