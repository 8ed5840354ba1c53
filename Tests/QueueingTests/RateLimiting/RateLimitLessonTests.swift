import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Queueing

@Suite struct RateLimitLessonTests {
    private typealias Quota = RateLimitLesson.Quota
    private typealias Policy = RateLimitLesson.Policy

    private func lesson(_ fields: KeyValuePairs<String, String>, _ status: HTTPStatus = .ok) throws -> RateLimitLesson?
    {
        let head = HTTPResponseHead(
            status: status, fields: try HTTPFields(fields), url: try #require(URL(string: "http://h/")))
        return RateLimitLesson(head) { Date(timeIntervalSince1970: 1_700_000_000) }
    }

    @Test func `most responses say nothing`() throws {
        #expect(try lesson([:]) == nil)
        #expect(try lesson(["Retry-After": "5", "Content-Type": "text/plain"]) == nil)
        #expect(try lesson([:], .serviceUnavailable) == nil)
    }

    @Test func `a 429, and a 503 with Retry-After, are throttled`() throws {
        #expect(try lesson([:], .tooManyRequests) == RateLimitLesson(isThrottled: true))
        #expect(
            try lesson(["Retry-After": "7"], .tooManyRequests) == RateLimitLesson(isThrottled: true, retryAfter: 7))
        #expect(
            try lesson(["Retry-After": "7"], .serviceUnavailable) == RateLimitLesson(isThrottled: true, retryAfter: 7))
        let dated = try lesson(
            ["Date": "Tue, 14 Nov 2023 22:13:20 GMT", "Retry-After": "Tue, 14 Nov 2023 22:13:50 GMT"],
            .tooManyRequests)
        #expect(dated?.retryAfter == 30)
    }

    @Test(arguments: [
        (["RateLimit": #""default";r=50;t=30"#], [Quota(name: "default", remaining: 50, window: 30)]),
        // The window of the policy, if the limit has none.
        (
            ["RateLimit": #""a";r=1"#, "RateLimit-Policy": #""b";q=5;w=9,"a";q=2;w=60"#],
            [Quota(name: "a", remaining: 1, window: 60, policy: Policy(quota: 2, window: 60))]
        ),
        (
            ["RateLimit": #""burst";r=0;t=1, daily;r=900;t=3600;pk=:YQ==:"#],
            [Quota(name: "burst", remaining: 0, window: 1), Quota(name: "daily", remaining: 900, window: 3600)]
        ),
        // Quotas of bytes say nothing about requests.
        (["RateLimit": #""b";r=0;t=9"#, "RateLimit-Policy": #""b";q=9;qu="content-bytes";w=10"#], []),
        (["RateLimit": #""default";r=50"#], []),
        (["RateLimit": #""default";r=-1;t=30"#], []),
        (["RateLimit": #""default";r=1;t=-3"#], []),
        (["RateLimit": #""default";;"#], []),
        (["RateLimit": #""default";r=1;t=999999999999999"#], [Quota(name: "default", remaining: 1, window: .century)]),
        // The draft's seventh version.
        (
            ["RateLimit": "limit=100, remaining=50, reset=5", "RateLimit-Policy": "100;w=60"],
            [Quota(name: "", remaining: 50, window: 5, policy: Policy(quota: 100, window: 60))]
        ),
        (["RateLimit": "limit=100, remaining=50"], []),
        // Older fields: seconds, or a time in seconds or milliseconds.
        (["RateLimit-Remaining": "3", "RateLimit-Reset": "12"], [Quota(name: "", remaining: 3, window: 12)]),
        (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "12"], [Quota(name: "", remaining: 0, window: 12)]),
        (
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000060"],
            [Quota(name: "", remaining: 0, window: 60)]
        ),
        (
            ["X-Rate-Limit-Remaining": "594.0", "X-Rate-Limit-Reset": "1700000060000"],
            [Quota(name: "", remaining: 594, window: 60)]
        ),
        (
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1600000000"],
            [Quota(name: "", remaining: 0, window: 0)]
        ),
        (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2018-03-13T00:00:00Z"], []),
        (["X-RateLimit-Remaining": "0"], []),
        (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "100000000000000"], []),
        (
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9", "X-RateLimit-Resource": "core"],
            [Quota(name: "core", remaining: 0, window: 9)]
        ),
        // A cache stored the response of an earlier time.
        (["RateLimit": #""default";r=50;t=30"#, "Age": "0"], [Quota(name: "default", remaining: 50, window: 30)]),
        (["RateLimit": #""default";r=50;t=30"#, "Age": "1"], []),
        (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "12", "Age": "30"], []),
        (["X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "5"], []),
        (["X-RateLimit-Remaining": "1e9", "X-RateLimit-Reset": "5"], []),
        (["X-RateLimit-Remaining": "1..2", "X-RateLimit-Reset": "5"], []),
    ])
    fileprivate func `fields are read`(fields: [String: String], quotas: [RateLimitLesson.Quota]) throws {
        var lines = HTTPFields()
        for (name, value) in fields { try lines.append(name, value) }
        let head = HTTPResponseHead(status: .ok, fields: lines, url: try #require(URL(string: "http://h/")))
        let lesson = RateLimitLesson(head) { Date(timeIntervalSince1970: 1_700_000_000) }
        #expect(lesson?.quotas ?? [] == quotas)
    }

    @Test func `no field is a trap`() throws {
        var generator = SeededGenerator(seed: 40)
        let pieces = [
            "\"a\"", ";r=", ";t=", ";q=", ";w=", "0", "999999999999999", "-", ",", " ", "limit=", "remaining=",
            "reset=",
            "1e300", ".", "%", "=", "(", ")", ":AA==:", "@1", "?1", "a",
        ]
        for _ in 0..<20_000 {
            var fields = HTTPFields()
            for name in ["RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"] {
                let text = (0..<Int.random(in: 0..<9, using: &generator)).map { _ in
                    pieces.randomElement(using: &generator) ?? ""
                }
                try fields.set(name, to: text.joined())
            }
            let head = HTTPResponseHead(
                status: .tooManyRequests, fields: fields, url: try #require(URL(string: "http://h/")))
            let lesson = try #require(RateLimitLesson(head) { Date(timeIntervalSince1970: 0) })
            var bucket = RateBucket(.adaptive, now: 0)
            bucket.responseReceived(lesson, now: 1)
            expect(bucket.wait(forCall: 500, now: 2) >= 0)
        }
    }
}
