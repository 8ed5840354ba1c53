/// Date and time of day in UTC, in the proleptic Gregorian calendar.
package struct CivilTime: Hashable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// The seconds of the years 1 to 9999.
    static let bounds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    static let first = CivilTime(year: 1, month: 1, day: 1)

    private init(year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (hour, minute, second) = (0, 0, 0)
    }

    /// Creates a time; nil unless each part is in its range and the year is 1 to 9999.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(of: month, year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Creates the time of a number of seconds; nil outside the years 1 to 9999.
    package init?(secondsSince1970 seconds: Int64) {
        guard Self.bounds.contains(seconds) else { return nil }
        var days = Int(seconds / 86_400)
        var rest = Int(seconds % 86_400)
        if rest < 0 { (days, rest) = (days - 1, rest + 86_400) }
        // Howard Hinnant's days-to-civil: years start in March, so that the leap day is the last, in eras of 400 years.
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    /// Seconds since the start of 1970.
    package var secondsSince1970: Int64 { Int64(((days * 24 + hour) * 60 + minute) * 60 + second) }

    /// The day of the week: 0 for Monday.
    package var weekday: Int { ((days + 3) % 7 + 7) % 7 }

    /// Days since the start of 1970, the inverse of ``init(secondsSince1970:)``.
    private var days: Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func days(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
