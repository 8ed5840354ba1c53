/// What the web platform tests of `fetch/http-cache` expect of browsers.
///
/// Without those of `split-cache`, since an app has no top-level sites; users are kept apart by partitions.
enum WebPlatformCases {
    static let all: [PolicyCase] = [
        freshness, requests, heuristics, used, unused, updates, parts, writes, posts, vary,
    ].flatMap(\.self)

    static let statuses = [200, 203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599]

    private static let freshness: [PolicyCase] = [
        PolicyCase("a future Expires", "expires: @2592000", [0: "hit"]),
        PolicyCase("a past Expires", "expires: @-2592000", [0: "sent"]),
        PolicyCase("a present Expires", "expires: @0", [0: "sent"]),
        PolicyCase("an invalid Expires", "expires: 0", [0: "sent"]),
        PolicyCase("max-age", "cache-control: max-age=3600", [0: "hit"]),
        PolicyCase("max-age=0", "cache-control: max-age=0", [0: "sent"]),
        PolicyCase("max-age, past Expires", "cache-control: max-age=3600 | expires: @-10000", [0: "hit"]),
        PolicyCase("max-age, invalid Expires", "cache-control: max-age=3600 | expires: 0", [0: "hit"]),
        PolicyCase("max-age=0, future Expires", "cache-control: max-age=0 | expires: @10000", [0: "sent"]),
        PolicyCase("s-maxage", "cache-control: max-age=1, s-maxage=3600", [3: "sent"]),
        PolicyCase("Age", "cache-control: max-age=3600 | age: 12000", [0: "sent"]),
        PolicyCase("no-store", "cache-control: no-store", [0: "sent"]),
        PolicyCase("no-store, max-age", "cache-control: max-age=10000, no-store | expires: @10000", [0: "sent"]),
        PolicyCase("no-cache", "cache-control: no-cache | etag: abcd", [0: "sent if abcd"]),
        PolicyCase(
            "no-cache, max-age", "cache-control: max-age=10000, no-cache | expires: @10000 | etag: abcd",
            [0: "sent if abcd"]),
    ]

    private static let requests: [PolicyCase] = [
        PolicyCase("max-age=0", "expires: @100000", [3: "sent"], later: "cache-control: max-age=0"),
        PolicyCase("max-age=1", "expires: @100000", [3: "sent"], later: "cache-control: max-age=1"),
        PolicyCase(
            "max-age, Age", "cache-control: max-age=3600 | age: 1800", [0: "sent"], later: "cache-control: max-age=600"),
        PolicyCase("max-stale", "cache-control: max-age=1", [3: "hit"], later: "cache-control: max-stale=1000"),
        PolicyCase(
            "max-stale, Age", "cache-control: max-age=1500 | age: 2000", [0: "sent"],
            later: "cache-control: max-stale=1000",
            but: "It expects a request though the response is stale by 500 s only: `max-stale` is optional in it."),
        PolicyCase("min-fresh", "cache-control: max-age=1500", [0: "sent"], later: "cache-control: min-fresh=2000"),
        PolicyCase(
            "min-fresh, Age", "cache-control: max-age=1500 | age: 1000", [0: "sent"],
            later: "cache-control: min-fresh=1000"),
        PolicyCase("no-cache", "cache-control: max-age=1500", [0: "sent"], later: "cache-control: no-cache"),
        PolicyCase("no-store", "cache-control: max-age=1500", [0: "sent"], later: "cache-control: no-store"),
        PolicyCase(
            "only-if-cached", "cache-control: no-store", [0: "unavailable"], later: "cache-control: only-if-cached"),
    ]

    private static let heuristics: [PolicyCase] = [
        PolicyCase("an unknown status, public", "299 | last-modified: @-300 | cache-control: public", [0: "hit"]),
        PolicyCase("an unknown status", "299 | last-modified: @-300", [0: "sent*"]),
    ]
    private static let used: [PolicyCase] = [200, 203, 204, 404, 405, 410, 414, 501].map { code in
        PolicyCase("heuristics for \(code)", "\(code) | last-modified: @-300", [0: "hit"])
    }
    private static let unused: [PolicyCase] = [201, 202, 403, 502, 503, 504].map { code in
        PolicyCase("no heuristics for \(code)", "\(code) | last-modified: @-300", [0: "sent*"])
    }

    private static func update(_ validator: String, _ expires: String, _ expected: KeyValuePairs<Double, String>)
        -> PolicyCase
    {
        PolicyCase(
            "a 304 that expires \(expires), \(validator)", "expires: @-5000 | \(validator) | test-header: A", expected,
            second: "304 | expires: \(expires) | \(validator) | test-header: B", fields: "test-header: B")
    }

    private static let updates: [PolicyCase] = [
        update("last-modified: @-3000", "@-3000", [0: "updated"]),
        update("last-modified: @-3000", "@3000", [0: "updated", 1: "hit"]),
        update("etag: ABC", "@-3000", [0: "updated"]), update("etag: ABC", "@3000", [0: "updated", 1: "hit"]),
    ]

    private static let whole = "200 0123456789A | cache-control: max-age=3600"
    private static let last = "206 01234 | cache-control: max-age=3600 | content-range: bytes 4-9/10"
    private static let length = "Its `Content-Range` has 6 bytes and its body 5, so that the response is not stored."

    private static let parts: [PolicyCase] = [
        PolicyCase("a range of a whole", whole, [0: "hit"], later: "range: bytes=0-1", fields: "content-length: 2"),
        PolicyCase("the rest of a whole", whole, [0: "hit"], later: "range: bytes=1-", fields: "content-length: 10"),
        PolicyCase("a suffix of a whole", whole, [0: "hit"], later: "range: bytes=-1", fields: "content-length: 1"),
        PolicyCase(
            "the start of a body, and then all of it",
            "206 01234 | cache-control: max-age=3600 | content-range: bytes 0-4/10", [0: "sent if bytes=5-"],
            first: "range: bytes=-5",
            but: "It has no strong validator, so that the rest may belong to another response."),
        PolicyCase(
            "a stored part", last, [0: "hit"], first: "range: bytes=-5", later: "range: bytes=-5", but: length),
        PolicyCase(
            "a part of a part", last, [0: "hit"], first: "range: bytes=-5", later: "range: bytes=6-8", but: length),
        PolicyCase(
            "the end of a part", last, [0: "hit"], first: "range: bytes=-5", later: "range: bytes=6-", but: length),
        PolicyCase("a suffix", last, [0: "hit"], first: "range: bytes=-5", later: "range: bytes=-1", but: length),
        PolicyCase(
            "a stored part of the stated length",
            "206 01234 | cache-control: max-age=3600 | content-range: bytes 5-9/10",
            [0: "hit"], first: "range: bytes=-5", later: "range: bytes=-2", fields: "content-range: bytes 8-9/10"),
    ]

    /// A response, a write, and whether the response is used after it.
    private static func write(_ method: String, _ path: String, _ status: Int) -> PolicyCase {
        PolicyCase(
            "\(method) with \(status), then GET \(path)", "expires: @100000", [0: status == 200 ? "sent" : "hit"],
            first: "GET \(path)", later: "GET \(path)",
            between: ("\(method) /a", "\(status) | location: /b | content-location: /c"))
    }

    private static let writes: [PolicyCase] = ["/a", "/b", "/c"].flatMap { path in
        [
            write("POST", path, 200), write("PUT", path, 200), write("DELETE", path, 200), write("FOO", path, 200),
            write("POST", path, 500),
        ]
    }

    private static let posts: [PolicyCase] = ["POST", "PATCH"].map { method in
        PolicyCase(
            "\(method) with a response that is one to GET",
            "cache-control: private, max-age=1000 | content-location: /a", [0: "hit"], first: "\(method) /a")
    }

    private static func vary(_ first: String, _ names: String, _ later: String, _ expected: String) -> PolicyCase {
        PolicyCase(
            "Vary: \(names) for \(first), then \(later)", "expires: @5000 | last-modified: @-3000 | vary: \(names)",
            [0: expected], first: first, later: later)
    }

    private static let vary: [PolicyCase] = [
        vary("foo: 1", "Foo", "foo: 1", "hit"), vary("foo: 1", "Foo", "foo: 2", "sent"),
        vary("foo: 1", "Foo", "", "sent"), vary("foo: 1 | other: 2", "Foo", "foo: 1 | other: 3", "hit"),
        vary("foo: 1 | bar: abc", "Foo, Bar", "foo: 1 | bar: abc", "hit"),
        vary("foo: 1 | bar: abc", "Foo, Bar", "foo: 2 | bar: abc", "sent"),
        vary("foo: 1", "Foo, Bar", "", "sent"),
        vary("foo: 1 | bar: abc | baz: 789", "Foo, Bar, Baz", "foo: 1 | bar: abc | baz: 789", "hit"),
        vary("foo: 1 | bar: abc | baz: 789", "Foo, Bar, Baz", "foo: 2 | bar: abc | baz: 789", "sent"),
        vary("foo: 1 | bar: abc4 | baz: 789", "Foo, Bar, Baz", "foo: 1 | bar: abc | baz: 789", "sent"),
        vary("foo: 1 | baz: 789", "Foo, Bar, Baz", "foo: 1 | baz: 789", "hit"),
        vary("foo: 1 | baz: 789", "*", "*: 1 | baz: 789", "sent"),
        PolicyCase(
            "two variants", "expires: @5000 | last-modified: @-3000 | vary: Foo", [0: "hit"], first: "foo: 1",
            later: "foo: 1", between: ("foo: 2", "expires: @5000 | last-modified: @-3000 | vary: Foo")),
    ]
}
