import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct HTTPDateTests {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private func seconds(_ text: String) -> Int? { HTTPDate(parsing: text).map { Int($0.date.timeIntervalSince1970) } }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "06 Nov 1994 08:49:37", "1994 Nov 06 08:49:37", "08:49:37 6 november 94", "6-NOV-1994-8:49:37",
        "Sun,06-Nov-1994,08:49:37,GMT", "\"Sun, 06 Nov 1994 08:49:37 GMT\"", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 06x Nov 1994y 08:49:37z GMT", "Sun, 06 Nov 1994 08:49:37 GMT 07 Dec 2001 01:01:01",
        "Sun, 06 Novembre 1994 08:49:37 +0200", "\t06~Nov`1994_08:49:37",
    ])
    func `parses dates as servers write them`(text: String) { #expect(seconds(text) == 784_111_777) }

    @Test(arguments: [
        ("1 Jan 1970 00:00:00", 0), ("1 Jan 70 0:0:0", 0), ("31 Dec 1969 23:59:59", -1),
        ("1 Jan 1601 00:00:00", -11_644_473_600), ("29 Feb 2000 12:00:00", 951_825_600),
        ("31 Dec 9999 23:59:59", 253_402_300_799), ("19 Jan 2038 03:14:08", 2_147_483_648),
        ("1 Jan 69 00:00:00", 3_124_224_000), ("1 Jan 0 00:00:00 00", 946_684_800), ("1 Jan 99 00:00:00", 915_148_800),
    ])
    func `counts the seconds`(text: String, count: Int) { #expect(seconds(text) == count) }

    @Test(arguments: [
        "", "GMT", "06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37", "06 1994 08:49:37", "00 Nov 1994 08:49:37",
        "32 Jan 1994 08:49:37", "31 Nov 1994 08:49:37", "29 Feb 1900 08:49:37", "30 Feb 2000 08:49:37",
        "06 Nov 1600 08:49:37", "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60",
        "06 Nov 19940 08:49:37", "006 Nov 1994 08:49:37", "06 Nov 1994 008:49:37", "06 Nov 1994 08:49:377",
        "06 Nov 1994 08:49", "06 No 1994 08:49:37", "06 Nov 100 08:49:37", "06 Nov 1994 x8:49:37", "0", "-1",
    ])
    func `rejects invalid dates`(text: String) { #expect(seconds(text) == nil) }

    @Test func `agrees with the calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let count = Int.random(in: -11_600_000_000...253_000_000_000, using: &generator)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: TimeInterval(count)))
            // Before 1582 Foundation uses the Julian calendar.
            guard let year = parts.year, year > 1600, let month = parts.month, let day = parts.day else { continue }
            let text =
                "\(day) \(Self.months[month - 1]) \(year) \(parts.hour ?? 0):\(parts.minute ?? 0):\(parts.second ?? 0)"
            #expect(seconds(text) == count, "\(text)")
        }
    }

    @Test func `is written in the preferred form`() throws {
        for (seconds, text) in [
            (784_111_777.0, "Sun, 06 Nov 1994 08:49:37 GMT"), (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"), (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (-.infinity, "Mon, 01 Jan 0001 00:00:00 GMT"),
            (.nan, "Mon, 01 Jan 0001 00:00:00 GMT"), (-1e300, "Mon, 01 Jan 0001 00:00:00 GMT"),
        ] {
            #expect(HTTPDate(Date(timeIntervalSince1970: seconds)).description == text)
        }
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let seconds = Double(Int.random(in: -11_644_473_600...253_402_300_799, using: &generator))
            let date = HTTPDate(Date(timeIntervalSince1970: seconds))
            #expect(date.date.timeIntervalSince1970 == seconds)
            #expect(HTTPDate(parsing: date.description) == date)
        }
        #expect(HTTPDate(Date(timeIntervalSince1970: 1)) < HTTPDate(Date(timeIntervalSince1970: 2)))
    }

    @Test func `arbitrary text does not trap`() {
        let pieces = ["6", "Nov", "94", "1994", ":", "8", " ", "99999999999999999999", "ä", "-", "\0", "00:00:00"]
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = HTTPDate(parsing: text)?.description
        }
    }
}
