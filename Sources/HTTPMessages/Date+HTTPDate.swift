package import Foundation

extension Date {
    /// Parses a date of a field, in every form of RFC 9110, section 5.6.7; nil when it is not a valid date.
    ///
    /// By the lenient rules of RFC 6265bis, section 5.1.1, which also read the dates of cookies.
    package init?(httpDate text: String) {
        var parts = DateParts()
        for token in text.utf8.split(whereSeparator: \.isDateDelimiter) { parts.take(token) }
        guard let seconds = parts.secondsSince1970 else { return nil }
        self.init(timeIntervalSince1970: TimeInterval(seconds))
    }
}

/// The parts of a date found so far; the first matching token sets each part.
private struct DateParts {
    private static let months: [[UInt8]] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { Array($0.utf8) }

    private var time: [Int]?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    mutating func take(_ token: Substring.UTF8View) {
        if time == nil, let found = token.timeOfDay {
            time = found
        } else if day == nil, let found = token.leadingNumber(digits: 1...2) {
            day = found
        } else if month == nil, let found = Self.months.firstIndex(where: token.lowercasedPrefix(3).elementsEqual) {
            month = found + 1
        } else if year == nil, let found = token.leadingNumber(digits: 2...4) {
            year = found
        }
    }

    var secondsSince1970: Int? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, (1...Self.days(of: month, year)).contains(day), time[0] <= 23, time[1] <= 59, time[2] <= 59
        else { return nil }
        let days = (1..<month).reduce(Self.daysBefore(year)) { $0 + Self.days(of: $1, year) } + day - 1
        return ((days * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to the start of a year; negative before 1970.
    private static func daysBefore(_ year: Int) -> Int {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    }
}

extension UInt8 {
    fileprivate var isDateDelimiter: Bool {
        switch self {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension Substring.UTF8View {
    /// The leading decimal number; nil unless its number of digits is in the range.
    fileprivate func leadingNumber(digits: ClosedRange<Int>) -> Int? {
        let leading = prefix(while: \.isDigit)
        return digits.contains(leading.count) ? Int(Substring(leading)) : nil
    }

    /// Hours, minutes and seconds, optionally followed by non-digits.
    fileprivate var timeOfDay: [Int]? {
        let fields = split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(\.isDigit), fields[1].allSatisfy(\.isDigit) else {
            return nil
        }
        let numbers = fields.compactMap { $0.leadingNumber(digits: 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    fileprivate func lowercasedPrefix(_ count: Int) -> [UInt8] {
        prefix(count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
