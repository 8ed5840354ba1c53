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

    private init(_ time: CivilTime) { self.time = time }

    /// Parses a date in any form of RFC 9110; nil when it is not a valid date.
    ///
    /// By the lenient rules of RFC 6265bis, section 5.1.1, which also read the dates of cookies. The zone is ignored:
    /// it is always GMT. A year of two digits is one of 1970 to 2069. So `01-Jan-70`, as servers date what has expired,
    /// is in the past.
    public init?(parsing text: String) {
        var parts = DateParts()
        for token in text.utf8.split(whereSeparator: \.isDateDelimiter) { parts.take(token) }
        guard let time = parts.civilTime else { return nil }
        self.time = time
    }

    /// Parses a date in exactly one of the three forms of RFC 9110, section 5.6.7; the case of letters does not count.
    ///
    /// For dates that decide how long something is valid: another zone or a year of two digits is no date there.
    package init?(strictly text: String) {
        if let time = Self.preferredForm(text) {
            self.init(time)
            return
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0).lowercased() }
        let isDate: Bool =
            switch words.count {
            case 6 where words[5] == "gmt":
                words[0].isWeekday(.abbreviated, comma: true) && words[1].isNumber(of: 2) && words[2].isMonth
                    && words[3].isNumber(of: 4) && words[4].isTimeOfDay
            case 4 where words[3] == "gmt":
                words[0].isWeekday(.full, comma: true) && words[1].isObsoleteDate && words[2].isTimeOfDay
            case 5:
                words[0].isWeekday(.abbreviated, comma: false) && words[1].isMonth && words[2].isNumber(of: 2)
                    && words[3].isTimeOfDay && words[4].isNumber(of: 4)
            case 6 where words[2].isEmpty:
                words[0].isWeekday(.abbreviated, comma: false) && words[1].isMonth && words[3].isNumber(of: 1)
                    && words[4].isTimeOfDay && words[5].isNumber(of: 4)
            default: false
            }
        guard isDate else { return nil }
        self.init(parsing: text)
    }

    /// Reads the preferred form by the positions of its parts, since each response has such a date; nil for any other
    /// text.
    private static func preferredForm(_ text: String) -> CivilTime? {
        guard text.utf8.count == 29 else { return nil }
        return text.utf8.withContiguousStorageIfAvailable { bytes -> CivilTime? in
            guard bytes[3] == UInt8(ascii: ","), bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
                [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
                weekdays.contains(where: { $0.utf8.elementsEqual(bytes[0..<3]) }),
                let month = months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
                bytes[26..<29].elementsEqual("GMT".utf8)
            else { return nil }
            var numbers: [Int] = []
            for range in [5..<7, 12..<16, 17..<19, 20..<22, 23..<25] {
                guard bytes[range].allSatisfy(\.isDigit) else { return nil }
                numbers.append(bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) })
            }
            guard numbers[1] >= 1601 else { return nil }
            return CivilTime(
                year: numbers[1], month: month + 1, day: numbers[0], hour: numbers[2], minute: numbers[3],
                second: numbers[4])
        } ?? nil
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

/// How a weekday is written.
private enum WeekdayForm {
    case abbreviated
    case full
}

// The parts of a date in lower case.
extension String {
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = Set(HTTPDate.months.map { $0.lowercased() })

    fileprivate func isWeekday(_ form: WeekdayForm, comma: Bool) -> Bool {
        guard !comma || utf8.last == UInt8(ascii: ",") else { return false }
        let name = comma ? String(dropLast()) : self
        return Self.weekdays.contains { (form == .full ? $0 : String($0.prefix(3))) == name }
    }

    fileprivate var isMonth: Bool { Self.months.contains(self) }

    fileprivate func isNumber(of digits: Int) -> Bool { utf8.count == digits && utf8.allSatisfy(\.isDigit) }

    fileprivate var isTimeOfDay: Bool {
        let parts = split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { String($0).isNumber(of: 2) }
    }

    /// The date of RFC 850: `06-nov-94`.
    fileprivate var isObsoleteDate: Bool {
        let parts = split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 3 && parts[0].isNumber(of: 2) && parts[1].isMonth && parts[2].isNumber(of: 2)
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
