import PatchbayTestKit
import Transport

extension ConformanceSubject {
    /// The network, with what Foundation's URLSession does otherwise on this platform.
    static let urlSession = ConformanceSubject(overSocket: "URLSessionTransport", exclusions: urlSessionExclusions) {
        clock in URLSessionTransport(clock: clock)
    }

    /// The same for a response that is streamed, and collected then.
    static let urlSessionStreamExclusions = urlSessionExclusions.merging([
        "an error in the body carries the head and at most 1 KiB": "whoever reads a stream has its bytes already"
    ]) { $1 }

    private static let joinedCookies: ConformanceExclusion =
        "Foundation joins the lines of Set-Cookie by commas, which cannot be told from those of a value"

    /// What cannot be mended from outside. The reasons name the version of Swift that mends it, where one does.
    static let urlSessionExclusions: [String: ConformanceExclusion] = {
        #if canImport(FoundationNetworking)
            [
                "trailers are read over": .endsProcess(
                    "Foundation traps on trailers; from Swift 6.4 on they are an error, which is still no response"),
                "a head that ends early is an error": .endsProcess(
                    "Foundation traps when a connection closes within a head; mended in Swift 6.4"),
                "an answer that is closed in the head is an error": .endsProcess(
                    "Foundation traps when a connection closes within a head; mended in Swift 6.4"),
                "a length that is past counting is refused": .endsProcess(
                    "Foundation traps on a Content-Length near 2^63; mended in no version yet"),
                "a redirect to an IPv6 address is a response": .endsProcess(
                    "Foundation traps on the Location //[::1]/; mended in no version yet"),
                "a field without a blank after its colon is read":
                    "Foundation cannot read such a head, and the call fails; mended after Swift 6.4",
                "fields of one name are together, however each is spelled":
                    "Foundation keeps one line of those whose spelling differs, and loses the others",
                "gzip that ends early is an error":
                    "libcurl takes it for all there is, and nobody else sees the coded bytes",
                "a redirect without a Location keeps its body":
                    "Foundation tells of such a response at its end only, and loses the body",
                "a comma in a cookie's value does not start another cookie": joinedCookies,
            ]
        #else
            [
                "a comma in a cookie's value does not start another cookie": joinedCookies,
                "the head comes before the body": .hangs(
                    "CFNetwork sniffs the type, and reports a head with the first bytes of its body"),
            ]
        #endif
    }()
}
