/// What this cache does in the cases in which a cache is free, and where it deviates, with the reasons.
enum CacheCaseTable {
    /// The required and optimal cases that do not pass.
    static let deviations: [String: String] = [
        "headers-store-Set-Cookie": "Cookies are secrets; `CacheRules.storesSetCookie` stores them.",
        "headers-store-Set-Cookie2": "Cookies are secrets; `CacheRules.storesSetCookie` stores them.",
        "conditional-lm-fresh-no-lm":
            "The response is newer than the date of the condition, so that a 304 would keep an older one in use.",
        "vary-normalise-lang-select": "The cache does not negotiate in place of the server.",
        "partial-store-partial-reuse-partial": "The body has 5 bytes, and its `Content-Range` 6: it is not stored.",
        "partial-store-partial-reuse-partial-byterange": "As above.",
        "partial-store-partial-reuse-partial-absent": "As above.",
        "partial-store-partial-reuse-partial-suffix": "As above.",
        "partial-store-partial-complete": "Without a strong validator the rest may belong to another response.",
    ]

    /// The check cases: whether what they ask for happens, and why.
    static let checks: [String: (passes: Bool, reason: String)] = Dictionary(
        uniqueKeysWithValues: rows.flatMap { row in row.cases.map { ($0, (row.passes, row.reason)) } })

    private struct Row {
        let passes: Bool
        let reason: String
        let cases: [String]

        init(_ passes: Bool, _ reason: String, _ cases: [String]) {
            (self.passes, self.reason, self.cases) = (passes, reason, cases)
        }
    }

    private static let rows: [Row] = [
        Row(true, "Without a lifetime and a validator nothing is fresh.", ["freshness-none"]),
        Row(true, "The apparent age counts (RFC 9111, section 4.2.3).", ["freshness-max-age-date"]),
        Row(
            false, "The smallest of several lifetimes counts.",
            [
                "freshness-max-age-two-fresh-stale-sameline", "freshness-max-age-two-fresh-stale-sepline",
                "freshness-max-age-two-stale-fresh-sameline", "freshness-max-age-two-stale-fresh-sepline",
            ]),
        Row(true, "Both forms of an argument are read (RFC 9111, section 5.2).", ["freshness-max-age-quoted"]),
        Row(
            false, "Whitespace beside the equals sign is ignored, as recipients do with bad whitespace.",
            ["freshness-max-age-space-before-equals", "freshness-max-age-space-after-equals"]),
        Row(
            false, "A number that is not one of seconds makes the response stale (RFC 9111, section 4.2.1).",
            [
                "freshness-max-age-decimal-zero", "freshness-max-age-decimal-five", "freshness-max-age-a100",
                "freshness-max-age-100a",
            ]),
        Row(
            false, "A malformed `Age` is ignored (RFC 9111, section 5.1).",
            ["age-parse-parameter", "age-parse-numeric-parameter"]),
        Row(
            true, "Named fields are left out, and the rest is used.",
            [
                "headers-omit-headers-listed-in-Cache-Control-no-cache-single",
                "headers-omit-headers-listed-in-Cache-Control-no-cache",
            ]),
        Row(
            false, "A stale response replaces an error only if the response, the request or the cache says so.",
            ["stale-close", "stale-503", "stale-warning-stored", "stale-warning-become"]),
        Row(true, "`stale-if-error` (RFC 5861).", ["stale-sie-close", "stale-sie-503"]),
        Row(
            false, "The heuristic lifetime of 10 % is over after the pause of 3 seconds.",
            ["heuristic-delta-5", "heuristic-delta-10", "heuristic-delta-30"]),
        Row(
            true, "The heuristic lifetime is 10 %.",
            [
                "heuristic-delta-60", "heuristic-delta-300", "heuristic-delta-600", "heuristic-delta-1200",
                "heuristic-delta-1800", "heuristic-delta-3600", "heuristic-delta-43200", "heuristic-delta-86400",
            ]),
        Row(
            true, "Directives of requests are obeyed (RFC 9111, section 5.2.1).",
            [
                "ccreq-ma0", "ccreq-ma1", "ccreq-magreaterage", "ccreq-max-stale", "ccreq-max-stale-age",
                "ccreq-min-fresh", "ccreq-min-fresh-age", "ccreq-no-cache", "ccreq-no-cache-lm", "ccreq-no-cache-etag",
                "ccreq-no-store", "ccreq-oic",
            ]),
        Row(
            false, "Without `Cache-Control`, `Pragma: no-cache` has its meaning.",
            ["pragma-request-no-cache", "pragma-response-no-cache-heuristic"]),
        Row(
            true, "`Cache-Control` comes before `Pragma`, and other pragmas mean nothing.",
            ["pragma-request-extension", "pragma-response-no-cache", "pragma-response-extension"]),
        Row(
            true, "Entity tags are compared as they are.",
            [
                "conditional-etag-strong-respond-obs-text", "conditional-etag-unquoted-respond-unquoted",
                "conditional-etag-weak-respond-lowercase", "conditional-etag-weak-respond-backslash",
                "conditional-etag-weak-respond-omit-slash", "conditional-etag-forward",
            ]),
        Row(
            false, "Entity tags are compared and sent as they are.",
            [
                "conditional-etag-quoted-respond-unquoted", "conditional-etag-unquoted-respond-quoted",
                "conditional-etag-strong-generate-unquoted", "conditional-etag-forward-unquoted",
            ]),
        Row(
            false, "Only the validator of the selected variant is sent.", ["conditional-etag-vary-headers-mismatch"]),
        Row(
            true, "A 304 updates fields (RFC 9111, section 3.2).",
            [
                "304-etag-update-response-Content-Location", "304-etag-update-response-Content-MD5",
                "304-etag-update-response-Content-Security-Policy", "304-etag-update-response-Clear-Site-Data",
                "304-etag-update-response-Expires", "304-etag-update-response-Public-Key-Pins",
                "304-etag-update-response-X-Frame-Options", "304-etag-update-response-X-XSS-Protection",
            ]),
        Row(
            false, "Fields that describe the stored bytes are not updated.",
            [
                "304-etag-update-response-Content-Encoding", "304-etag-update-response-Content-Range",
                "304-etag-update-response-Content-Type",
            ]),
        Row(
            false, "A 304 with another strong validator is not about the stored response (section 4.3.4).",
            ["304-etag-update-response-ETag"]),
        Row(
            false, "Cookies are secrets.",
            ["304-etag-update-response-Set-Cookie", "304-etag-update-response-Set-Cookie2"]),
        Row(
            true, "`HEAD` is sent, and updates what is stored (RFC 9111, section 4.3.5).",
            ["head-writethrough", "head-200-freshness-update", "head-200-update"]),
        Row(false, "The response to `HEAD` is that of the server.", ["head-200-retain"]),
        Row(false, "A `HEAD` with another status removes what is stored.", ["head-410-update"]),
        Row(
            true, "`Location` and `Content-Location` of the same origin are invalidated.",
            [
                "invalidate-POST-location", "invalidate-PUT-location", "invalidate-DELETE-location",
                "invalidate-M-SEARCH-location", "invalidate-POST-cl", "invalidate-PUT-cl", "invalidate-DELETE-cl",
                "invalidate-M-SEARCH-cl",
            ]),
        Row(false, "A response from the server is delivered as it is.", ["other-age-delay"]),
        Row(true, "Fields are stored as they are.", ["other-date-update-expires-update"]),
        Row(
            true, "`Content-Disposition` has nothing to do with caching.",
            ["other-heuristic-content-disposition-attachment", "other-fresh-content-disposition-attachment"]),
    ]
}
