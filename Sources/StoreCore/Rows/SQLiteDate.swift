import Foundation

/// Conversion between `Date` and SQLite's date text (sqlite.org/lang_datefunc.html, "Time Values").
///
/// Writes `YYYY-MM-DD HH:MM:SS.SSS` in UTC, rounded to the millisecond; a year before 0 has a minus sign. Texts of the
/// years 0...9999 sort like their dates. Reads also a date alone (midnight), `T` or any white space instead of the
/// space, the hour 24, a time without seconds or fraction, a suffix `Z`, `+HH:MM` or `-HH:MM`, and white space at the
/// end. Not read are times alone and Julian days, and dates that the calendar does not have, such as 30 February.
///
/// The calendar is the proleptic Gregorian one, without leap seconds. Days are calculated in years that begin in March,
/// so that a leap day is the last day of its year. Before the year 0, older versions of SQLite, such as 3.40, are a day
/// ahead in the twelve months after each leap day that a century lacks.
enum SQLiteDate {
    /// The years that SQLite's date functions know.
    static let years = -4713...9999
    /// Length of the longest written text in bytes.
    static let maximumLength = 24

    private static let millisecondsPerDay = 86_400_000
    /// Days from 1 March 0000 to 1 January 2001, Foundation's reference date.
    private static let referenceDay = 730_791
    /// Days in 400 years.
    private static let daysPerCycle = 146_097

    // MARK: Writing

    /// The text of a date; nil when its year is outside ``years``.
    static func text(of date: Date) -> String? {
        withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 1) { buffer in
            write(date, to: buffer).map { count in
                String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
            }
        }
    }

    /// Writes the text of a date.
    /// - Parameter buffer: has room for ``maximumLength`` bytes.
    /// - Returns: the number of bytes written; nil when the year is outside ``years``.
    static func write(_ date: Date, to buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let rounded = (date.timeIntervalSinceReferenceDate * 1000).rounded()
        // Excludes NaN and numbers that are no Int.
        guard rounded.magnitude < 1e15 else { return nil }
        let (days, milliseconds) = floorDivision(Int(rounded), millisecondsPerDay)
        let (year, month, day) = civilDate(days)
        guard years.contains(year) else { return nil }
        var output = Output(buffer)
        if year < 0 { output.put(UInt8(ascii: "-")) }
        output.put(year.magnitude, digits: 4)
        output.put(UInt8(ascii: "-"))
        output.put(UInt(month), digits: 2)
        output.put(UInt8(ascii: "-"))
        output.put(UInt(day), digits: 2)
        output.put(UInt8(ascii: " "))
        output.put(UInt(milliseconds / 3_600_000), digits: 2)
        output.put(UInt8(ascii: ":"))
        output.put(UInt(milliseconds / 60_000 % 60), digits: 2)
        output.put(UInt8(ascii: ":"))
        output.put(UInt(milliseconds / 1000 % 60), digits: 2)
        output.put(UInt8(ascii: "."))
        output.put(UInt(milliseconds % 1000), digits: 3)
        return output.count
    }

    /// ASCII text in a buffer of sufficient size.
    private struct Output {
        private let buffer: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

        @inline(__always)
        mutating func put(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }

        /// Appends a number with leading zeros.
        @inline(__always)
        mutating func put(_ number: UInt, digits: Int) {
            var number = number
            for index in stride(from: count + digits - 1, through: count, by: -1) {
                buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
                number /= 10
            }
            count += digits
        }
    }

    // MARK: Reading

    /// The date of a text; nil when the text has another format or is not a date of the calendar.
    ///
    /// Digits of the fraction after the sixth are ignored.
    static func date(_ text: UnsafeRawBufferPointer) -> Date? {
        var input = Input(text)
        let isNegative = input.skip(UInt8(ascii: "-"))
        guard let magnitude = input.number(digits: 4), input.skip(UInt8(ascii: "-")),
            let month = input.number(digits: 2), input.skip(UInt8(ascii: "-")),
            let day = input.number(digits: 2)
        else { return nil }
        let year = isNegative ? -magnitude : magnitude
        guard years.contains(year), 1...12 ~= month, 1...dayCount(month, of: year) ~= day else { return nil }
        let days = dayNumber(year, month, day)
        input.skipSpace(or: UInt8(ascii: "T"))
        guard !input.isAtEnd else { return Date(timeIntervalSinceReferenceDate: Double(days * 86_400)) }
        guard let time = time(&input) else { return nil }
        // One exact integer and one division, so that a text with milliseconds gives the nearest date.
        let scaled = (days * 86_400 + time.seconds) * time.scale + time.fraction
        return Date(timeIntervalSinceReferenceDate: Double(scaled) / Double(time.scale))
    }

    /// Reads a time with its suffix, up to the end.
    /// - Returns: seconds since midnight in UTC, and a fraction of a second: `fraction / scale`.
    @inline(__always)
    private static func time(_ input: inout Input) -> (seconds: Int, fraction: Int, scale: Int)? {
        guard let hour = input.number(digits: 2), hour <= 24, input.skip(UInt8(ascii: ":")),
            let minute = input.number(digits: 2), minute < 60
        else { return nil }
        var (seconds, fraction, scale) = (hour * 3600 + minute * 60, 0, 1)
        if input.skip(UInt8(ascii: ":")) {
            guard let second = input.number(digits: 2), second < 60 else { return nil }
            seconds += second
            if input.skip(UInt8(ascii: ".")) {
                guard let first = input.digit() else { return nil }
                (fraction, scale) = (first, 10)
                while let digit = input.digit() {
                    if scale < 1_000_000 { (fraction, scale) = (fraction * 10 + digit, scale * 10) }
                }
            }
        }
        input.skipSpace()
        if input.isAtEnd { return (seconds, fraction, scale) }
        if !input.skip(UInt8(ascii: "Z")), !input.skip(UInt8(ascii: "z")) {
            let isWest = input.skip(UInt8(ascii: "-"))
            guard isWest || input.skip(UInt8(ascii: "+")),
                let hours = input.number(digits: 2), hours <= 14, input.skip(UInt8(ascii: ":")),
                let minutes = input.number(digits: 2), minutes < 60
            else { return nil }
            seconds += (hours * 3600 + minutes * 60) * (isWest ? 1 : -1)
        }
        input.skipSpace()
        return input.isAtEnd ? (seconds, fraction, scale) : nil
    }

    /// ASCII text, read from its start.
    private struct Input {
        private let bytes: UnsafeRawBufferPointer
        private var index = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isAtEnd: Bool { index == bytes.count }

        /// Skips a byte; false when the next one is another or there is none.
        @inline(__always)
        mutating func skip(_ byte: UInt8) -> Bool {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }

        /// Skips white space, and another byte if any.
        @inline(__always)
        mutating func skipSpace(or other: UInt8 = UInt8(ascii: " ")) {
            while index < bytes.count, SQLiteDate.isSpace(bytes[index]) || bytes[index] == other { index += 1 }
        }

        @inline(__always)
        mutating func digit() -> Int? {
            guard index < bytes.count else { return nil }
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            index += 1
            return Int(digit)
        }

        /// Reads a number of exactly this many digits.
        @inline(__always)
        mutating func number(digits: Int) -> Int? {
            guard bytes.count - index >= digits else { return nil }
            var number = 0
            for offset in 0..<digits {
                let digit = bytes[index + offset] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                number = number * 10 + Int(digit)
            }
            index += digits
            return number
        }
    }

    /// White space as SQLite's date functions have it, with the vertical tab.
    @inline(__always)
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    // MARK: Calendar

    private static func dayCount(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since the reference date.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (cycle, yearOfCycle) = floorDivision(month < 3 ? year - 1 : year, 400)
        let dayOfYear = firstDay(of: month < 3 ? month + 9 : month - 3) + day - 1
        return cycle * daysPerCycle + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - referenceDay
    }

    /// The date of a day, counted from the reference date.
    private static func civilDate(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (cycle, dayOfCycle) = floorDivision(days + referenceDay, daysPerCycle)
        // Leaves out the leap days before this day: one each 4 years (1461 days), but none each 100 years (36524 days),
        // except for the last day of the cycle.
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
        let month = (dayOfYear * 5 + 2) / 153
        return (
            cycle * 400 + yearOfCycle + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            dayOfYear - firstDay(of: month) + 1
        )
    }

    /// The first day of a month, both counted from March: five months have 153 days.
    private static func firstDay(of month: Int) -> Int { (month * 153 + 2) / 5 }

    /// Quotient, rounded down, and remainder, never negative.
    @inline(__always)
    private static func floorDivision(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
