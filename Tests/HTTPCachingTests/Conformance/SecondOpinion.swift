/// What http-cache-semantics decides, and why this cache does something else.
enum SecondOpinion {
    static let all: [PolicyCase] = [
        requests, responses, freshness, demands, validation, updates, matching, vary,
    ].flatMap(\.self)

    /// Final statuses with an explicit lifetime: whether that library stores them.
    static let statuses: [(isStored: Bool, codes: [Int], deviation: String?)] = [
        (true, [200, 203, 204, 300, 301, 302, 307, 308, 404, 405, 410, 414, 501], nil),
        (false, [100, 101, 102, 206, 304, 401, 407, 412, 416], nil),
        (
            false,
            [
                201, 202, 205, 207, 305, 306, 400, 402, 403, 406, 408, 409, 411, 413, 415, 417, 418, 429, 500, 502, 503,
                504, 505, 506,
            ],
            "A final status with an explicit lifetime may be stored (RFC 9111, section 3)."
        ),
    ]

    private static let requests: [PolicyCase] = [
        PolicyCase(
            "no-store in the request", "cache-control: public, max-age=222", [0: "sent"],
            first: "cache-control: no-store", shared: true),
        PolicyCase("a POST without a lifetime", "cache-control: public", [0: "sent"], first: "POST /a", shared: true),
        PolicyCase(
            "a POST with one", "cache-control: public, max-age=222", [0: "hit"], first: "POST /a", later: "POST /a",
            shared: true, but: "A POST is sent each time; its response may be one to a GET, with `Content-Location`."),
        PolicyCase(
            "a credential, public", "cache-control: public, max-age=222", [0: "hit"], first: "authorization: test",
            shared: true),
        PolicyCase(
            "a credential, s-maxage", "cache-control: max-age=0,s-maxage=12", [0: "hit", 13: "sent"],
            first: "authorization: test", shared: true),
        PolicyCase(
            "a credential, private cache", "cache-control: max-age=111", [0: "hit"], first: "authorization: test",
            later: "authorization: test"),
        PolicyCase(
            "a credential, must-revalidate", "cache-control: max-age=88,must-revalidate", [0: "hit"],
            first: "authorization: test", shared: true),
        PolicyCase(
            "a credential", "cache-control: max-age=111", [0: "sent"], first: "authorization: test", shared: true),
    ]

    private static let responses: [PolicyCase] = [
        PolicyCase("nothing", "", [0: "sent"], shared: true),
        PolicyCase("a long lifetime", "cache-control: public, max-age=999999", [999_998: "hit"], shared: true),
        PolicyCase("empty elements", "cache-control: ,,,,max-age =  456      ,", [455: "hit"], shared: true),
        PolicyCase("a quoted number", "cache-control:   max-age = \"678\"      ", [677: "hit"], shared: true),
        PolicyCase("private and public", "cache-control: private, public, max-age=259200", [259_199: "hit"]),
        PolicyCase(
            "old extensions", "cache-control: pre-check=0, post-check=0, no-store, no-cache, max-age=100",
            [0: "sent"], shared: true),
        PolicyCase(
            "old extensions, ignored with what is beside them",
            "cache-control: pre-check=0, post-check=0, no-cache, no-store, max-age=100 | pragma: no-cache",
            [0: "hit"], shared: true, but: "An option of that library. `no-store` counts in any case."),
        PolicyCase(
            "the same without a lifetime",
            "cache-control: pre-check=0, post-check=0, no-cache, no-store | expires: yesterday!", [0: "sent"],
            shared: true),
        PolicyCase("no-store", "cache-control: no-store, public, max-age=1", [0: "sent"], shared: true),
        PolicyCase("private in a shared cache", "cache-control: private, max-age=1234", [0: "sent"], shared: true),
        PolicyCase("private in a private cache", "cache-control: private, max-age=1234", [1_233: "hit"]),
        PolicyCase(
            "a cookie in a shared cache", "set-cookie: foo=bar | cache-control: max-age=99", [0: "sent"], shared: true,
            but: "The response is stored without the cookie."),
        PolicyCase("a cookie in a private cache", "set-cookie: foo=bar | cache-control: max-age=99", [98: "hit"]),
        PolicyCase(
            "a cookie, immutable", "set-cookie: foo=bar | cache-control: immutable, max-age=99", [98: "hit"],
            shared: true),
        PolicyCase(
            "a cookie, public", "set-cookie: foo=bar | cache-control: max-age=5, public", [4: "hit"], shared: true),
        PolicyCase(
            "503", "503 | cache-control: public, max-age=1000", [0: "sent"], shared: true,
            but: "A final status with an explicit lifetime may be stored (RFC 9111, section 3)."),
        PolicyCase("301", "301 | last-modified: Mon, 07 Mar 2016 11:52:56 GMT", [0: "hit"], shared: true),
        PolicyCase("303", "303 | last-modified: Mon, 07 Mar 2016 11:52:56 GMT", [0: "sent*"], shared: true),
        PolicyCase("303 with a lifetime", "303 | cache-control: max-age=1000", [999: "hit"], shared: true),
        PolicyCase("412", "412 | cache-control: public, max-age=1000", [0: "sent"], shared: true),
        PolicyCase(
            "fields of the connection",
            """
            te: deflate | custom: header | oompa: lumpa | connection: close, oompa, header | age: 10 | \
            cache-control: public, max-age=333
            """, [1: "hit"],
            fields: "te: - | connection: - | oompa: - | custom: header | age: 11 | cache-control: public, max-age=333",
            shared: true),
        PolicyCase(
            "a malformed date", "date: now | cache-control: public, max-age=333", [1: "hit"],
            fields: "date: @1", shared: true, but: "The field is the server's, and is handed on as it is."),
        PolicyCase(
            "a part without a range", "206 | content-range: bytes 100-100/200 | cache-control: max-age=60",
            [0: "sent"], shared: true),
        PolicyCase(
            "a response of GitHub, its clock 77 s behind",
            """
            date: @-77 | cache-control: private, max-age=60, s-maxage=60 | etag: W/"4876" | \
            vary: Accept, Authorization, Cookie, X-GitHub-OTP
            """, [0: "hit"],
            but: "The apparent age counts (RFC 9111, section 4.2.3): it may come from a cache without `Age`."),
    ]

    private static let freshness: [PolicyCase] = [
        PolicyCase("Expires", "date: @0 | expires: @2", [1: "hit", 3: "sent"], shared: true),
        PolicyCase("Expires counts from Date", "date: @-3 | expires: @0", [0: "sent"], shared: true),
        PolicyCase("Expires counts from Date, also without an age", "date: @3 | expires: @6", [2: "hit"], shared: true),
        PolicyCase("Expires without Date", "cache-control: public | expires: @3600", [3_595: "hit"], shared: true),
        PolicyCase("Age", "cache-control: max-age=100 | age: 50", [0: "hit", 48: "hit", 53: "sent"], shared: true),
        PolicyCase("Age beyond the lifetime", "cache-control: max-age=100 | age: 101", [0: "sent"], shared: true),
        PolicyCase("Age within it", "cache-control: max-age=20 | age: 15", [0: "hit"], shared: true),
        PolicyCase("an Age that is no number", "cache-control: max-age=20 | age: golden", [0: "hit"], shared: true),
        PolicyCase(
            "an old file", "date: @0 | last-modified: Mon, 07 Mar 2016 11:52:56 GMT", [100: "hit"], shared: true),
        PolicyCase("immutable", "cache-control: immutable, max-age=999999", [999_998: "hit"], shared: true),
        PolicyCase("immutable and stale", "cache-control: immutable, max-age=0", [0: "sent"], shared: true),
        PolicyCase(
            "immutable without a lifetime", "date: @0 | cache-control: immutable | last-modified: @0", [100: "hit"],
            shared: true, but: "`immutable` gives no lifetime (RFC 8246)."),
        PolicyCase(
            "immutable without a lifetime, and without that library's extension",
            "date: @0 | cache-control: immutable | last-modified: @0", [0: "sent*"], shared: true),
        PolicyCase("Pragma", "pragma: no-cache | last-modified: @-1000", [0: "sent*"], shared: true),
        PolicyCase(
            "Pragma beside an empty Cache-Control", "cache-control: | pragma: no-cache | last-modified: @-10",
            [0: "hit"], shared: true),
        PolicyCase("max-age=0", "cache-control: public, max-age=0", [0: "sent"], shared: true),
        PolicyCase(
            "max-age and a past Expires",
            "cache-control: public, max-age=9999 | expires: Sat, 07 May 2016 15:35:18 GMT", [9_998: "hit"],
            shared: true),
        PolicyCase(
            "s-maxage and a past Expires",
            "cache-control: public, s-maxage=9999 | expires: Sat, 07 May 2016 15:35:18 GMT", [9_998: "hit"],
            shared: true),
        PolicyCase(
            "s-maxage in a private cache",
            "cache-control: public, s-maxage=9999 | expires: Sat, 07 May 2016 15:35:18 GMT", [0: "sent"]),
        PolicyCase(
            "max-age and a later Expires", "cache-control: public, max-age=333 | expires: @3600",
            [332: "hit", 334: "sent"], shared: true),
        PolicyCase("a tenth of the age", "last-modified: @-105 | date: @-5", [4: "hit", 6: "sent*"]),
        PolicyCase(
            "a tenth of a long age", "last-modified: @-9072000 | date: @-432000", [0: "hit"],
            but: "A lifetime that is not stated is at most a day."),
        PolicyCase(
            "a Date before the lifetime", "date: @-120 | cache-control: max-age=60", [0: "hit"],
            but: "The apparent age counts (RFC 9111, section 4.2.3)."),
        PolicyCase("a Date to come", "date: @120 | cache-control: max-age=60", [59: "hit", 61: "sent"]),
        PolicyCase(
            "max-age above a lower s-maxage", "date: @-120 | cache-control: s-maxage=60, max-age=180",
            [59: "hit", 61: "sent"]),
        PolicyCase("max-age below Age", "age: 360 | cache-control: s-maxage=60, max-age=180", [0: "sent"]),
        PolicyCase("a tag and Expires", "etag: v1 | last-modified: @-7200 | expires: @3600", [3_599: "hit"]),
    ]

    private static let demands: [PolicyCase] = [
        PolicyCase(
            "an error within stale-if-error", "cache-control: max-age=60, stale-if-error=200", [259: "stale used"],
            second: "500"),
        PolicyCase(
            "stale-while-revalidate", "date: @120 | cache-control: max-age=60, stale-while-revalidate=200",
            [59: "hit", 259: "hit, revalidated"]),
        PolicyCase(
            "stale-while-revalidate and Age", "age: 120 | cache-control: max-age=60, stale-while-revalidate=200",
            [0: "hit, revalidated"]),
        PolicyCase(
            "stale-while-revalidate and must-revalidate",
            "age: 120 | cache-control: max-age=60, stale-while-revalidate=200, must-revalidate", [0: "sent"]),
        PolicyCase(
            "stale-while-revalidate and max-stale", "age: 100 | cache-control: max-age=60, stale-while-revalidate=200",
            [0: "hit"], later: "cache-control: max-stale"),
        PolicyCase(
            "stale by as much as max-stale", "age: 100 | cache-control: max-age=60, stale-while-revalidate=200",
            [0: "sent"], later: "cache-control: max-stale=40",
            but: "`max-stale` is the most seconds (RFC 9111, section 5.2.1.2)."),
        PolicyCase(
            "at the end of stale-while-revalidate", "age: 260 | cache-control: max-age=60, stale-while-revalidate=200",
            [0: "sent"], but: "The last second counts; the one after it does not."),
        PolicyCase(
            "after stale-while-revalidate", "age: 261 | cache-control: max-age=60, stale-while-revalidate=200",
            [0: "sent"]),
        PolicyCase(
            "no-store in a private cache", "cache-control: max-age=60", [0: "sent"], first: "cache-control: no-store"),
        PolicyCase(
            "max-age of the request", "last-modified: @-7200 | age: 60 | expires: @3600", [0: "hit"],
            later: "cache-control: max-age=90"),
        PolicyCase(
            "max-age of the request, exceeded", "last-modified: @-7200 | age: 60 | expires: @3600", [0: "sent*"],
            later: "cache-control: max-age=30"),
        PolicyCase("min-fresh", "cache-control: max-age=60", [0: "hit"], later: "cache-control: min-fresh=10"),
        PolicyCase(
            "min-fresh, exceeded", "cache-control: max-age=60", [0: "sent"], later: "cache-control: min-fresh=120"),
        PolicyCase(
            "min-fresh and stale-while-revalidate", "cache-control: max-age=60, stale-while-revalidate=100000",
            [0: "hit"], later: "cache-control: min-fresh=10"),
        PolicyCase(
            "min-fresh, exceeded, and stale-while-revalidate",
            "cache-control: max-age=60, stale-while-revalidate=100000", [0: "sent"],
            later: "cache-control: min-fresh=120"),
        PolicyCase(
            "max-stale", "cache-control: max-age=120 | age: 240", [0: "hit"], later: "cache-control: max-stale=180"),
        PolicyCase(
            "any max-stale", "cache-control: max-age=120 | age: 240", [0: "hit"], later: "cache-control: max-stale"),
        PolicyCase(
            "max-stale, exceeded", "cache-control: max-age=120 | age: 240", [0: "sent"],
            later: "cache-control: max-stale=10"),
        PolicyCase(
            "max-stale and must-revalidate", "cache-control: max-age=120, must-revalidate | age: 360", [0: "sent"],
            later: "cache-control: max-stale=180"),
        PolicyCase(
            "any max-stale and must-revalidate", "cache-control: max-age=120, must-revalidate | age: 360", [0: "sent"],
            later: "cache-control: max-stale"),
        PolicyCase("OPTIONS", "expires: @3600", [0: "sent"], first: "OPTIONS /a"),
        PolicyCase("PUT", "expires: @3600", [0: "sent"], first: "PUT /a"),
        PolicyCase("DELETE", "expires: @3600", [0: "sent"], first: "DELETE /a"),
        PolicyCase("TRACE", "expires: @3600", [0: "sent"], first: "TRACE /a"),
    ]
}
