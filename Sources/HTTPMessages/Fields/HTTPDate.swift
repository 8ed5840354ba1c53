public import Foundation

/// Date of a header field, in whole seconds (RFC 9110, section 5.6.7).
///
/// ```swift
/// let modified = response.fields[.lastModified].flatMap { HTTPDate(parsing: $0) }?.date
/// try request.fields.set("If-Modified-Since", to: HTTPDate(date).description)
/// ```
public struct HTTPDate: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let time: CivilTime

    /// Creates the date of a second; a date outside the years 1 to 9999 becomes the first or last of them.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let bounds = CivilTime.bounds
        // A comparison with NaN is false, so that it becomes the first.
        let bounded =
            seconds > Double(bounds.lowerBound)
            ? seconds < Double(bounds.upperBound) ? Int64(seconds) : bounds.upperBound : bounds.lowerBound
        time = CivilTime(secondsSince1970: bounded) ?? .first
    }

    /// Parses a date in any form of RFC 9110; nil when it is not a valid date.
    ///
    /// By the lenient rules of RFC 6265bis, section 5.1.1, which also read the dates of cookies. The zone is ignored:
    /// it is always GMT.
    public init?(parsing text: String) {
        var parts = DateParts()
        for token in text.utf8.split(whereSeparator: \.isDateDelimiter) { parts.take(token) }
        guard let time = parts.civilTime else { return nil }
        self.time = time
    }

    /// The point in time.
    public var date: Date { Date(timeIntervalSince1970: TimeInterval(time.secondsSince1970)) }

    /// Compares the points in time.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.time.secondsSince1970 < right.time.secondsSince1970
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        let (weekday, month) = (Self.weekdays[time.weekday], Self.months[time.month - 1])
        let (day, year) = (time.day.digits(2), time.year.digits(4))
        let clock = [time.hour, time.minute, time.second].map { $0.digits(2) }.joined(separator: ":")
        return "\(weekday), \(day) \(month) \(year) \(clock) GMT"
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    fileprivate static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension Int {
    /// The number with leading zeros.
    fileprivate func digits(_ count: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, count - text.utf8.count)) + text
    }
}

/// The parts of a date found so far; the first matching token sets each part.
private struct DateParts {
    private static let months = HTTPDate.months.map { Array($0.lowercased().utf8) }

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

    var civilTime: CivilTime? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        guard year >= 1601 else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
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
