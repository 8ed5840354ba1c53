import Foundation
import HTTPMessages

extension Date {
    /// Parses a date such as `Tue, 04 May 2010 00:59:00 GMT` (RFC 1123, section 5.2.14).
    ///
    /// The weekday and the seconds may be missing. The zone is a name of RFC 822, another common one such as `CET`, or
    /// an offset such as `+0100`.
    /// - Returns: nil for another format, an impossible date, and a missing or unknown zone.
    init?(rfc1123 text: String) {
        var parts = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let zone = parts.popLast(), let offset = Self.secondsFromGMT(zone) else { return nil }
        guard let clock = parts.lastIndex(where: { $0.contains(":") }), clock == parts.endIndex - 1 else { return nil }
        if parts[clock].filter({ $0 == ":" }).count == 1 { parts[clock] += ":00" }
        guard let local = HTTPDate(parsing: parts.joined(separator: " "))?.date else { return nil }
        self = local.addingTimeInterval(TimeInterval(-offset))
    }

    private static func secondsFromGMT(_ zone: String) -> Int? {
        guard let sign = zone.first, sign == "+" || sign == "-" else {
            return hours[zone.uppercased()].map { Int($0 * 3600) }
        }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard digits.count == 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            number / 100 < 24, number % 100 < 60
        else { return nil }
        let seconds = (number / 100 * 60 + number % 100) * 60
        return sign == "-" ? -seconds : seconds
    }

    /// Hours east of Greenwich. Names with several meanings, such as `IST`, are left out.
    private static let hours: [String: Double] = [
        "GMT": 0, "UTC": 0, "UT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MET": 1, "CEST": 2, "MEST": 2,
        "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9, "ACST": 9.5, "AEST": 10,
        "AEDT": 11, "NZST": 12, "NZDT": 13, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
        "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
    ]
}
