import Foundation
import HTTPMessages

extension Date {
    /// The date of RFC 3339 in UTC, with milliseconds unless they are zero; nil outside the years 1 to 9999.
    var iso8601: String? {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        guard let total = Int64(exactly: milliseconds) else { return nil }
        var (seconds, rest) = total.quotientAndRemainder(dividingBy: 1000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1000) }
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
        append(time.second, 2, rest == 0 ? "Z" : ".")
        if rest != 0 { append(Int(rest), 3, "Z") }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses a date of RFC 3339, with an offset, or without a time, which means midnight in UTC.
    init?(iso8601 text: String) {
        var rest = text.utf8[...]
        guard let year = rest.takeNumber(4), rest.take("-"), let month = rest.takeNumber(2), rest.take("-"),
            let day = rest.takeNumber(2)
        else { return nil }
        guard !rest.isEmpty else {
            guard let time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) else {
                return nil
            }
            self.init(timeIntervalSince1970: Double(time.secondsSince1970))
            return
        }
        guard rest.take("T") || rest.take("t") || rest.take(" "), let hour = rest.takeNumber(2), rest.take(":"),
            let minute = rest.takeNumber(2), rest.take(":"), let second = rest.takeNumber(2),
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var fraction = 0.0
        if rest.take(".") {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty, let value = Double("0." + Substring(digits)) else { return nil }
            fraction = value
            rest = rest.dropFirst(digits.count)
        }
        var offset = 0
        if !rest.take("Z"), !rest.take("z") {
            let isNegative = rest.take("-")
            guard isNegative || rest.take("+"), let hours = rest.takeNumber(2), hours < 24, rest.take(":"),
                let minutes = rest.takeNumber(2), minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (isNegative ? -60 : 60)
        }
        guard rest.isEmpty else { return nil }
        self.init(timeIntervalSince1970: Double(time.secondsSince1970 - Int64(offset)) + fraction)
    }
}

extension Substring.UTF8View {
    fileprivate mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: scalar) else { return false }
        removeFirst()
        return true
    }

    /// The number of exactly these many digits.
    fileprivate mutating func takeNumber(_ count: Int) -> Int? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self = dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
