import Foundation
import HTTPMessages

/// Dates in the form of the standard: ISO 8601 with milliseconds.
enum HARDate {
    static func text(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        guard let total = Int64(exactly: milliseconds),
            let time = CivilTime(secondsSince1970: total.floorDivided(by: 1000))
        else { return "1970-01-01T00:00:00.000Z" }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        func append(_ number: Int, _ count: Int, _ separator: Unicode.Scalar) {
            var divisor = [1, 10, 100, 1000][count - 1]
            while divisor > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
                divisor /= 10
            }
            bytes.append(UInt8(ascii: separator))
        }
        append(time.year, 4, "-")
        append(time.month, 2, "-")
        append(time.day, 2, "T")
        append(time.hour, 2, ":")
        append(time.minute, 2, ":")
        append(time.second, 2, ".")
        append(Int(total - total.floorDivided(by: 1000) * 1000), 3, "Z")
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a date with a fraction of any length and an offset; hyphens, colons and the `T` may be missing, as the
    /// schema allows.
    static func date(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            rest = rest.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        func skip(_ scalar: Unicode.Scalar) { if rest.first == UInt8(ascii: scalar) { rest = rest.dropFirst() } }
        guard let year = number(4), case () = skip("-"), let month = number(2), case () = skip("-"),
            let day = number(2), case () = skip("T"), let hour = number(2), case () = skip(":"),
            let minute = number(2), case () = skip(":"), let second = number(2),
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        else { return nil }
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
            guard !digits.isEmpty else { return nil }
            fraction = Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
            rest = rest.dropFirst(1 + digits.count)
        }
        let sign = rest.popFirst()
        var offset = 0
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            guard let hours = number(2), case () = skip(":"), let minutes = number(2) else { return nil }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "+") ? 60 : -60)
        } else if sign != UInt8(ascii: "Z") {
            return nil
        }
        guard rest.isEmpty else { return nil }
        return Date(timeIntervalSince1970: Double(time.secondsSince1970 - Int64(offset)) + fraction)
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }
}
