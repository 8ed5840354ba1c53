import Foundation
import HTTPMessages
import RequestModel

/// Base of a server's URLs, joined with path segments by single slashes.
struct HostURL: Hashable, Sendable {
    private let base: BaseURL

    /// - Parameter host: a URL with or without a trailing slash.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    init(_ host: String) throws(HTTPMessageError) { base = try BaseURL(host) }

    /// The URL without trailing slashes.
    var text: String {
        var text = base.text[...]
        while text.last == "/" { text.removeLast() }
        return String(text)
    }

    /// Returns the URL below the base.
    /// - Parameters:
    ///   - segments: the path; each is percent-encoded, also its slashes. An empty last one makes a trailing slash.
    ///   - query: parameters, percent-encoded.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for a segment that is empty, `.` or `..`.
    func url(_ segments: [String], query: Query = Query()) throws(HTTPMessageError) -> String {
        for (index, segment) in segments.enumerated() {
            let isTrailingSlash = segment.isEmpty && index == segments.count - 1
            guard isTrailingSlash || !["", ".", ".."].contains(segment) else {
                throw HTTPMessageError(
                    .invalidURL, "Invalid name in the URL: \"\(segment)\"; pass a resource, version or ID.")
            }
        }
        let path = segments.map { $0.percentEncoded(except: .unreserved) }
        return try base.appending(path.joined(separator: "/")).adding(query).text
    }
}
