import Foundation
import HTTPMessages
import Testing

@testable import HTTPCaching

@Suite struct FreshnessTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let now = 784_111_777.0

    private func freshness(
        _ fields: KeyValuePairs<String, String>, delay: Double = 0, _ change: (inout CacheRules) -> Void = { _ in }
    ) throws -> Freshness {
        let fields = try HTTPFields(fields)
        return Freshness(
            .ok, fields, ResponseDirectives(fields), requestTime: Self.now - delay, responseTime: Self.now,
            rules: CacheRules(change))
    }

    /// The fields, the initial age and the lifetime.
    @Test(
        arguments: [
            (["Date": date, "Cache-Control": "max-age=60"], 0, 60),
            (["Date": "Sun, 06 Nov 1994 08:49:17 GMT", "Cache-Control": "max-age=60"], 20, 60),
            (["Date": "Sun, 06 Nov 1994 08:50:37 GMT", "Cache-Control": "max-age=60"], 0, 60),
            (["Age": "7", "Cache-Control": "max-age=60"], 7, 60), (["Age": "-7"], 0, 0), (["Age": "7.5"], 0, 0),
            (["Age": "7, 9"], 7, 0), (["Age": ""], 0, 0), (["Age": "9223372036854775808"], Freshness.century, 0),
            (["Age": "9999999999999999999999999999999999"], Freshness.century, 0),
            (["Date": date, "Expires": "Sunday, 06-Nov-94 08:50:37 GMT"], 0, 60),
            (["Date": date, "Expires": "Sun Nov  6 08:50:37 1994"], 0, 60),
            (["Date": date, "Expires": "Sun, 06 Nov 1994 08:50:37 UTC"], 0, 0), (["Expires": "0"], 0, 0),
            (["Date": date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT, Sun, 06 Nov 1994 08:50:37 GMT"], 0, 0),
            (["Date": "never", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 0, 60),
            (["Date": date, "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], 0, 100),
            (["Date": date, "Last-Modified": "Sun, 06 Nov 1983 08:32:57 GMT"], 0, 86_400),
            (["Date": date, "Last-Modified": "Sun, 06 Nov 1995 08:32:57 GMT"], 0, 0),
            (["Date": date, "Last-Modified": date], 0, 0), ([:], 0, 0),
        ] as [(KeyValuePairs<String, String>, Double, Double)])
    func `age and lifetime`(fields: KeyValuePairs<String, String>, age: Double, lifetime: Double) throws {
        let freshness = try freshness(fields)
        #expect(freshness.initialAge == age)
        #expect(freshness.lifetime == lifetime)
    }

    @Test func `the time of the request counts`() throws {
        let freshness = try freshness(["Age": "5", "Cache-Control": "max-age=60"], delay: 8)
        #expect(freshness.age(at: Self.now + 2) == 15)
        #expect(freshness.timeToLive(at: Self.now + 2) == 45)
        // The clock was set back.
        #expect(freshness.timeToLive(at: Self.now - 100) == 0)
    }

    @Test func `a shared cache prefers its own lifetime`() throws {
        let fields: KeyValuePairs = ["Cache-Control": "max-age=60, s-maxage=5"]
        #expect(try freshness(fields).lifetime == 60)
        #expect(try freshness(fields) { $0.isShared = true }.lifetime == 5)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 NOV 1994 08:49:37 gmt", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun Nov 16 08:49:37 1994",
    ])
    func `dates of the three forms`(text: String) { #expect(HTTPDate(strictly: text) != nil) }

    @Test func `a year of two digits is at most 2069`() {
        // As servers date what has expired.
        #expect(HTTPDate(strictly: "Thursday, 01-Jan-70 00:00:00 GMT")?.seconds == 0)
        #expect(HTTPDate(strictly: "Tuesday, 31-Dec-69 23:59:59 GMT")?.description == "Tue, 31 Dec 2069 23:59:59 GMT")
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun,  06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 36 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 28:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z", ", 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
    ])
    func `what is no date`(text: String) { #expect(HTTPDate(strictly: text) == nil) }
}
