/// Revalidation, updates and selection.
extension SecondOpinion {
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"
    private static let tagged = "cache-control: max-age=111 | etag: \"123456789\""
    private static let weak = "cache-control: max-age=111 | etag: W/\"123456789\""
    private static let modified = "cache-control: max-age=111 | last-modified: \(date)"
    private static let both = tagged + " | last-modified: \(date)"
    private static let warnings = "`Warning` is obsolete (RFC 9111, section 5.5), and no field of this cache's."
    private static let sentAsIs = "A POST goes to the server as it is."

    static let validation: [PolicyCase] = [
        PolicyCase(
            "HEAD for a stored GET", tagged, [200: "sent if \"123456789\""], later: "HEAD /a", shared: true,
            but: "A HEAD is sent as it is: its response tells as much as a 304."),
        PolicyCase("POST for a stored GET", tagged, [200: "sent"], later: "POST /a", shared: true),
        PolicyCase("another path", tagged, [200: "sent"], later: "GET /b", shared: true),
        PolicyCase("another host", tagged, [200: "sent"], later: "GET https://other.test/a", shared: true),
        PolicyCase("Vary: *", "cache-control: max-age=111 | vary: *", [200: "sent"], shared: true),
        PolicyCase("a tag", tagged, [200: "sent if \"123456789\""], shared: true),
        PolicyCase("a date", modified, [200: "sent if \(date)"], shared: true),
        PolicyCase("a tag and a date", both, [200: "sent if \"123456789\" and \(date)"], shared: true),
        PolicyCase("no validator", "cache-control: max-age=111", [200: "sent"], shared: true),
        PolicyCase(
            "tags of a POST", both, [200: "sent if \"strong\", \"123456789\""],
            later: "POST /a | if-none-match: W/\"weak\", \"strong\", W/\"weak2\"", shared: true, but: sentAsIs),
        PolicyCase(
            "a weak tag of a POST", modified, [200: "sent"], later: "POST /a | if-none-match: W/\"weak\"",
            shared: true, but: sentAsIs),
        PolicyCase(
            "a date of a POST", modified, [200: "sent"], later: "POST /a | if-modified-since: yesterday",
            shared: true, but: sentAsIs),
        PolicyCase(
            "tags of the request", tagged, [200: "sent if \"foo\", \"bar\", \"123456789\""],
            later: "if-none-match: \"foo\", \"bar\"", shared: true,
            but: "Only the stored tag is sent: a 304 to another one would not say which response is current."),
        PolicyCase(
            "tags of the request, and a date", both,
            [200: "sent if W/\"weak\", \"strong\", W/\"weak2\", \"123456789\" and \(date)"],
            later: "if-none-match: W/\"weak\", \"strong\", W/\"weak2\"", shared: true, but: "As above."),
        PolicyCase(
            "a date of a request with Accept-Ranges", modified, [200: "sent"],
            later: "accept-ranges: 1-3 | if-modified-since: yesterday", shared: true,
            but: "That field says nothing in a request; the stored date replaces the malformed one."),
        PolicyCase(
            "a warning of an old response", "age: 259200 | last-modified: \(date)", [0: "hit"],
            later: "cache-control: max-stale", fields: "warning: 113", shared: true, but: warnings),
        PolicyCase(
            "a stored warning", "warning: 199 test danger", [0: "hit"], later: "cache-control: max-stale",
            fields: "warning: -", shared: true, but: warnings),
        PolicyCase(
            "two stored warnings", "warning: 199 test danger, 200 ok ok", [0: "hit"],
            later: "cache-control: max-stale", fields: "warning: 200 ok ok", shared: true, but: warnings),
    ]

    private static let old = " | foo: original | x-other: original"
    private static let new = " | foo: updated | x-new: new"
    private static let unnamed =
        "A 304 without a validator is the response to the conditions that were sent: there is but one stored response."

    /// A response that a 304 is about, or not.
    private static func update(
        _ name: String, _ stored: String, _ second: String, _ expected: String, but deviation: String? = nil
    ) -> PolicyCase {
        PolicyCase(
            name, stored + old, [200: expected], second: second + new,
            fields: expected == "updated" ? "foo: updated | x-other: original" : "", shared: true, but: deviation)
    }

    static let updates: [PolicyCase] = [
        update("the same tag", tagged, "304 | \(tagged)", "updated"),
        update("the same weak tag", weak, "304 | \(weak)", "updated"),
        update("the same date", modified, "304 | \(modified)", "updated"),
        update("the same tag and date", both, "304 | \(both)", "updated"),
        update("status 200", both, "200 | \(both)", "full"),
        update("another tag, the same date", both, "304 | \(modified) | etag: bad", "full"),
        update("another weak tag, the same date", both, "304 | \(modified) | etag: W/bad", "full"),
        update("no tag", tagged, "304 | cache-control: max-age=111", "full", but: unnamed),
        update("no weak tag", weak, "304 | cache-control: max-age=111", "full", but: unnamed),
        update("no date", modified, "304 | cache-control: max-age=111", "full", but: unnamed),
        update("a tag in place of a date", modified, "304 | \(tagged)", "full"),
        update("a weak tag in place of a date", modified, "304 | \(weak)", "full"),
        update("a date in place of a tag", tagged, "304 | \(modified)", "full", but: unnamed),
        update("another tag", tagged, "304 | cache-control: max-age=111 | etag: \"other\"", "full"),
        update("another date", modified, "304 | cache-control: max-age=111 | last-modified: dunno", "full"),
        PolicyCase(
            "the length stays", tagged + " | content-length: 1", [200: "updated"],
            second: "304 | \(tagged) | content-length: 2", fields: "content-length: 1", shared: true),
        PolicyCase(
            "a field that is new in the 304", tagged + old, [200: "updated"], second: "304 | \(tagged)" + new,
            fields: "x-new: -", shared: true, but: "Each field of a 304 is stored (RFC 9111, section 3.2)."),
        PolicyCase(
            "a lost connection", "cache-control: max-age=200, stale-if-error=300", [250: "stale used"], second: "lost",
            shared: true),
        PolicyCase(
            "an error", "cache-control: max-age=200, stale-if-error=300", [250: "stale used"], second: "500",
            shared: true),
    ]

    private static let short = "cache-control: max-age=2"

    static let matching: [PolicyCase] = [
        PolicyCase("the same URL", short, [0: "hit"], shared: true),
        PolicyCase("a redirect with Expires", "302 | expires: @2", [0: "hit"], shared: true),
        PolicyCase("another query", short, [0: "sent"], first: "GET /foo", later: "GET /foo?bar", shared: true),
        PolicyCase("the same method", short, [0: "hit"], first: "GET /a", later: "GET /a", shared: true),
        PolicyCase("another server", short, [0: "sent"], later: "GET https://foofoo.test/a", shared: true),
        PolicyCase(
            "HEAD after HEAD", short, [0: "hit"], first: "HEAD /a", later: "HEAD /a", shared: true,
            but: "A response to HEAD is not stored: it has no body for a GET."),
        PolicyCase("GET after POST", short, [0: "sent"], first: "POST /a", shared: true),
        PolicyCase("GET after HEAD", short, [0: "sent"], first: "HEAD /a", shared: true),
        PolicyCase("HEAD after GET", short, [0: "hit"], later: "HEAD /a", shared: true),
        PolicyCase(
            "proxy-revalidate", "cache-control: max-age=2, proxy-revalidate ", [0: "sent"], shared: true,
            but: "It concerns stale responses only (RFC 9111, section 5.2.2.8)."),
        PolicyCase("proxy-revalidate in a private cache", "cache-control: max-age=2, proxy-revalidate ", [0: "hit"]),
        PolicyCase("another directive", short, [0: "hit"], later: "cache-control: fine", shared: true),
        PolicyCase("no-cache in the request", short, [0: "sent"], later: "cache-control: no-cache", shared: true),
        PolicyCase("Pragma in the request", short, [0: "sent"], later: "pragma: no-cache", shared: true),
    ]

    private static func vary(_ name: String, _ first: String, _ response: String, _ later: String, _ expected: String)
        -> PolicyCase
    {
        PolicyCase(
            name, "cache-control: max-age=5 | \(response)", [0: expected], first: first, later: later, shared: true)
    }

    static let vary: [PolicyCase] = [
        vary("one field", "weather: nice", "vary: weather", "weather: nice", "hit"),
        vary("one field, another value", "weather: nice", "vary: weather", "weather: bad", "sent"),
        vary("any field", "weather: ok", "vary: *", "weather: ok", "sent"),
        vary("values in their case", "weather: BAD", "vary: Weather", "weather: BAD", "hit"),
        vary("values in another case", "weather: BAD", "vary: Weather", "weather: bad", "sent"),
        vary("a field that neither has", "weather: nice", "vary: moon-phase", "weather: bad", "hit"),
        vary("another field", "weather: nice", "vary: moon-phase", "sun: shining", "hit"),
        vary("a field of the second", "weather: nice", "vary: moon-phase", "moon-phase: full", "sent"),
        vary("a missing field", "weather: nice", "vary: moon-phase, weather", "weather: nice", "hit"),
        vary("an empty field", "weather: nice", "vary: moon-phase, weather", "weather: nice | moon-phase:", "sent"),
        vary("a field of the first", "weather: nice", "vary: moon-phase, weather", "", "sent"),
        vary("two fields", "sun: shining | weather: nice", "vary: weather, sun", "weather: nice | sun: shining", "hit"),
        vary("one of two", "sun: shining | weather: nice", "vary: weather, sun", "sun: shining | weather: bad", "sent"),
        vary(
            "whitespace", "sun: a | weather: b", "vary:     weather       ,     sun     ", "sun: a | weather: b", "hit"),
        vary("whitespace, one of two", "sun: a | weather: b", "vary:   weather ,   sun   ", "weather: b", "sent"),
        vary("the order of names", "sun: a | weather: b", "vary: sun, weather", "weather: b | sun: a", "hit"),
    ]
}
