import Foundation
import HTTPMessages

extension Date {
    /// Parses a date of RFC 3339, with an offset, or without a time, which means midnight in UTC.
    init?(iso8601 text: String) {
        var input = DateScanner(text.utf8.count == 10 ? text + "T00:00:00Z" : text)
        guard let year = input.number(digits: 4), input.skip("-"), let month = input.number(digits: 2),
            input.skip("-"), let day = input.number(digits: 2), input.skip("T") || input.skip("t") || input.skip(" "),
            let hour = input.number(digits: 2), input.skip(":"), let minute = input.number(digits: 2),
            input.skip(":"), let second = input.number(digits: 2),
            let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second),
            let fraction = input.fraction(),
            let offset = input.skip("Z") || input.skip("z") ? 0 : input.offset(), input.isAtEnd
        else { return nil }
        self.init(timeIntervalSince1970: Double(time.secondsSince1970 - Int64(offset)) + fraction)
    }
}
