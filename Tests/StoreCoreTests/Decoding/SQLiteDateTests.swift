import Foundation
import PatchbayTestKit
import SQLiteStore
import Testing

@testable import StoreCore

@Suite struct SQLiteDateTests {
    private func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { SQLiteDate.date(UnsafeRawBufferPointer($0)) }
    }

    private static func unix(_ milliseconds: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(milliseconds - 978_307_200_000) / 1000)
    }

    static let pairs: [(String, Int)] = [
        ("1970-01-01 00:00:00.000", 0), ("1969-12-31 23:59:59.999", -1), ("2001-01-01 00:00:00.001", 978_307_200_001),
        ("2000-02-29 12:30:45.678", 951_827_445_678), ("2026-11-22 23:59:59.120", 1_795_391_999_120),
        ("0000-01-01 00:00:00.000", -62_167_219_200_000), ("9999-12-31 23:59:59.999", 253_402_300_799_999),
        ("-4713-11-24 12:00:00.000", -210_866_760_000_000), ("-4713-01-01 00:00:00.000", -210_895_056_000_000),
    ]

    @Test(arguments: pairs) func `text and date are converted to each other`(text: String, milliseconds: Int) {
        #expect(SQLiteDate.text(of: Self.unix(milliseconds)) == text)
        #expect(date(text) == Self.unix(milliseconds))
    }

    static let formats: [(String, Int)] = [
        ("2000-02-29", 951_782_400_000), ("2000-02-29 12:30", 951_827_400_000), ("2000-02-29T12:30", 951_827_400_000),
        ("2000-02-29 12:30:45", 951_827_445_000), ("2000-02-29T12:30:45.6", 951_827_445_600),
        ("2000-02-29T12:30:45.678Z", 951_827_445_678), ("2000-02-29 12:30:45 z", 951_827_445_000),
        ("2000-02-29T12:30Z", 951_827_400_000), ("2000-02-29 12:30:45.678 +00:00", 951_827_445_678),
        ("2000-02-29 12:30:45+01:30", 951_822_045_000), ("2000-02-29 23:30:00-14:00", 951_917_400_000),
        ("2000-03-01 00:30:00+00:45", 951_867_900_000), ("2000-02-29 ", 951_782_400_000),
        ("2000-02-29T", 951_782_400_000), ("2000-02-29\t\n\u{B}\u{C}\r12:30 ", 951_827_400_000),
        ("2000-02-29  12:30", 951_827_400_000), ("2000-02-29T T12:30", 951_827_400_000),
        ("2000-02-2912:30", 951_827_400_000), ("2000-02-29 12:30:45\tZ\t", 951_827_445_000),
        ("2000-02-29 12:30:45 +01:30  ", 951_822_045_000), ("2000-02-28 24:00", 951_782_400_000),
        ("2000-02-28 24:30:00", 951_784_200_000),
    ]

    @Test(arguments: formats) func `each of SQLite's formats is read`(text: String, milliseconds: Int) {
        #expect(date(text) == Self.unix(milliseconds))
    }

    @Test func `up to six digits of a fraction are used`() {
        let second = 951_827_445.0 - 978_307_200
        #expect(date("2000-02-29 12:30:45.123456")?.timeIntervalSinceReferenceDate == second + 0.123456)
        #expect(date("2000-02-29 12:30:45.1234569999999999999999")?.timeIntervalSinceReferenceDate == second + 0.123456)
    }

    @Test func `a date is rounded to the millisecond, with carry`() {
        func text(_ seconds: Double) -> String? { SQLiteDate.text(of: Date(timeIntervalSince1970: seconds)) }
        #expect(text(0.0004) == "1970-01-01 00:00:00.000")
        #expect(text(0.0006) == "1970-01-01 00:00:00.001")
        #expect(text(0.9996) == "1970-01-01 00:00:01.000")
        #expect(text(-0.0004) == "1970-01-01 00:00:00.000")
        #expect(text(86_399.9998) == "1970-01-02 00:00:00.000")
        #expect(text(951_782_399.9998) == "2000-02-29 00:00:00.000")
        #expect(text(946_684_799.9998) == "2000-01-01 00:00:00.000")
    }

    @Test func `a date outside the years has no text`() {
        #expect(SQLiteDate.text(of: Self.unix(253_402_300_800_000)) == nil)
        #expect(SQLiteDate.text(of: Date(timeIntervalSince1970: 253_402_300_799.9998)) == nil)
        #expect(SQLiteDate.text(of: Self.unix(-210_895_056_000_001)) == nil)
        for seconds in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e15] {
            #expect(SQLiteDate.text(of: Date(timeIntervalSinceReferenceDate: seconds)) == nil)
        }
    }

    @Test(arguments: [
        "", " ", "-", "2000", "2000-01", "2000-1-01", "2000-01-1", "20000-01-01", "2000-00-01", "2000-13-01",
        "2000-01-00",
        "2000-01-32", "2000-04-31", "2001-02-29", "1900-02-29", "+2000-01-01", "-4714-12-31", "2000/01/01",
        " 2000-01-01", "2000-01-01 1:00", "2000-01-01 25:00", "2000-01-01 12:60", "2000-01-01 12:00:60",
        "2000-01-01 12:00:00.",
        "2000-01-01 12:00:00.x", "2000-01-01 12:00:00 x", "2000-01-01 12:00:00+1:00", "2000-01-01 12:00:00+15:00",
        "2000-01-01 12:00:00+01:60", "2000-01-01 12:00:00+01", "2000-01-01 12:00:00ZZ", "2000-01-01t12:00",
        "2000-01-01Z", "12:00", "now", "2451545.0", "2000-01-01 12:00\0", "2000-01-01\u{A0}",
    ]) func `another text is no date`(text: String) {
        #expect(date(text) == nil)
    }

    /// The days of all years follow each other, with the leap days of the Gregorian calendar.
    @Test func `each year has its days`() throws {
        var newYear = try #require(date("-4713-01-01"))
        for year in SQLiteDate.years {
            let name = "\(year < 0 ? "-" : "")" + String("000\(year.magnitude)".suffix(4))
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            try #require(date("\(name)-01-01") == newYear, "\(name)")
            try #require((date("\(name)-02-29") != nil) == isLeap, "\(name)")
            let march = newYear.addingTimeInterval((isLeap ? 60 : 59) * 86_400)
            try #require(date("\(name)-03-01") == march, "\(name)")
            let end = newYear.addingTimeInterval((isLeap ? 365 : 364) * 86_400)
            for (day, text) in [
                (newYear, "01-01"), (march - 86_400, isLeap ? "02-29" : "02-28"), (march, "03-01"), (end, "12-31"),
            ] {
                try #require(SQLiteDate.text(of: day) == "\(name)-\(text) 00:00:00.000")
            }
            newYear = end + 86_400
        }
    }

    /// Texts of the parts that SQLite knows, and of some that it does not.
    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `SQLite reads the same texts`() throws {
        let store = try SQLiteStore(.memory)
        var (read, generator) = (0, SeededGenerator(seed: 11))
        for _ in 0..<10_000 {
            func pick(_ parts: [String]) -> String { parts[Int.random(in: parts.indices, using: &generator)] }
            let spaces = ["", " ", "  ", "\t", "\n", "T", " T ", "t", "\u{B}", "\0"]
            let text =
                pick(["2000", "1969", "0000", "-0001", "9999", "200"]) + "-" + pick(["01", "02", "12", "13", "00"])
                + "-"
                + pick(["01", "28", "00", "32", "1"]) + pick(spaces)
                + pick(["", "12:30", "24:00", "25:00", "00:00:59", "23:59:60", "12:30:45.25", "12:30:45."])
                + pick(spaces) + pick(["", "", "Z", "z", "+01:30", "-14:59", "+15:00", "+1:00"]) + pick(spaces)
            // A text ends at NUL for SQLite.
            guard !text.contains("\0") else {
                #expect(date(text) == nil)
                continue
            }
            let rows = try store.rows("SELECT round((julianday(\(text)) - 2440587.5) * 86400000)")
            let mine = date(text).map { StoreValue.real(($0.timeIntervalSince1970 * 1000).rounded()) }
            #expect(rows == [[mine ?? .null]], "\(text.debugDescription)")
            if mine != nil { read += 1 }
        }
        #expect(read > 100)
        try store.close()
    }

    /// SQLite reads what is written, and writes what is read.
    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `SQLite has the same dates`() throws {
        let store = try SQLiteStore(.memory)
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<500 {
            let milliseconds = Int.random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
            let text = try #require(SQLiteDate.text(of: Self.unix(milliseconds)))
            let seconds = (milliseconds - (milliseconds % 1000 + 1000) % 1000) / 1000
            let row = try store.rows(
                "SELECT CAST(strftime('%s', \(text)) AS INTEGER), strftime('%Y-%m-%d %H:%M:%f', \(text))")
            #expect(row == [[.integer(Int64(seconds)), .text(text)]])
        }
        try store.close()
    }
}
