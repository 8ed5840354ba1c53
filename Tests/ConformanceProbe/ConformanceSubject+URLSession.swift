import PatchbayTestKit
import Transport

extension ConformanceSubject {
    /// `URLSessionTransport`, with the deviations of Foundation's URLSession on this platform.
    static let urlSession = ConformanceSubject(overSocket: "URLSessionTransport", exclusions: urlSessionExclusions) {
        clock in URLSessionTransport(clock: clock)
    }

    /// The exclusions for a response that is streamed and then collected.
    static let urlSessionStreamExclusions = urlSessionExclusions.merging([
        "an error in the body carries the head and at most 1 KiB": "the reader of a stream has its bytes already"
    ]) { $1 }

    private static let joinedCookies: ConformanceExclusion =
        "Foundation joins Set-Cookie lines with commas, which are ambiguous with commas in values"

    private static let truncatedCoding: ConformanceExclusion =
        "libcurl accepts it as complete, and only libcurl sees the coded bytes"

    /// Deviations without a workaround. The reasons name the version of Swift with the fix, if there is one.
    static let urlSessionExclusions: [String: ConformanceExclusion] = expectations.merging(engineExclusions) { $1 }

    private static let expectations: [String: ConformanceExclusion] = Dictionary(
        uniqueKeysWithValues: [
            "a body follows 100 (Continue)", "a body follows when no 100 (Continue) comes in time",
            "status 417 is followed by the request without an expectation",
            "a final status in place of 100 (Continue) ends the call without the body",
        ].map { ($0, "URLSession cannot wait for 100 (Continue): the option is unsupported") })

    private static let engineExclusions: [String: ConformanceExclusion] = {
        #if canImport(FoundationNetworking)
            [
                "trailers are skipped": .endsProcess(
                    "Foundation traps on trailers; from Swift 6.4 on they are an error instead of a response"),
                "trailers are told, apart from the head": .endsProcess(
                    "Foundation traps on trailers; from Swift 6.4 on they are an error instead of a response"),
                "a truncated head is an error": .endsProcess(
                    "Foundation traps when a connection closes within a head; fixed in Swift 6.4"),
                "a response that is closed in the head is an error": .endsProcess(
                    "Foundation traps when a connection closes within a head; fixed in Swift 6.4"),
                "an overflowing Content-Length is refused": .endsProcess(
                    "Foundation traps on a Content-Length near 2^63; not fixed yet"),
                "a redirect to an IPv6 address is a response": .endsProcess(
                    "Foundation traps on the Location //[::1]/; not fixed yet"),
                "a field without whitespace after its colon is accepted":
                    "Foundation cannot parse such a head, and the request fails; fixed after Swift 6.4",
                "fields whose names differ only in case are combined":
                    "Foundation keeps one of the fields whose case differs, and drops the others",
                "a response that no request asked for never reaches the next request":
                    "libcurl reuses a connection that has bytes to read, and Foundation does not show its connections",
                "truncated gzip is an error": truncatedCoding,
                "truncated deflate is an error": truncatedCoding,
                "truncated Brotli is an error": truncatedCoding,
                "a body of several gzip members comes decoded":
                    "libcurl takes the second member for bytes after the body, and Foundation cannot turn its decoding off",
                "bytes of a field that are not UTF-8 are kept":
                    "Foundation cannot parse such a head, and the request fails",
                "a redirect without a Location keeps its body":
                    "Foundation reports such a response only at its end, without the body",
                "a comma in a cookie's value does not start another cookie": joinedCookies,
            ]
        #else
            [
                "trailers are told, apart from the head": "URLSession drops trailers",
                "a comma in a cookie's value does not start another cookie": joinedCookies,
                "the head comes before the body": .hangs(
                    "CFNetwork reports a head with the first byte of its body"),
            ]
        #endif
    }()
}
