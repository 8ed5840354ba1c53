import Foundation
import HTTPMessages

/// Dates in the form of the standard: ISO 8601 with milliseconds.
enum HARDate {
    static func text(_ date: Date) -> String { date.rfc3339(rounded: .down) ?? "1970-01-01T00:00:00.000Z" }

    /// Reads a date with a fraction of any length and an offset; hyphens, colons and the `T` may be missing, as the
    /// schema allows.
    static func date(_ text: String) -> Date? {
        var input = DateScanner(text)
        guard let year = input.number(digits: 4), case _ = input.skip("-"), let month = input.number(digits: 2),
            case _ = input.skip("-"), let day = input.number(digits: 2), case _ = input.skip("T"),
            let hour = input.number(digits: 2), case _ = input.skip(":"), let minute = input.number(digits: 2),
            case _ = input.skip(":"), let second = input.number(digits: 2),
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59)),
            let fraction = input.fraction(), let offset = input.skip("Z") ? 0 : input.offset(isLenient: true),
            input.isAtEnd
        else { return nil }
        return Date(timeIntervalSince1970: Double(time.secondsSince1970 - Int64(offset)) + fraction)
    }
}
