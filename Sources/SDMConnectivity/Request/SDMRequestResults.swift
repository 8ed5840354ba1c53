public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The results of a request so far, which are members of the request itself: `request.responseStatusCode`.
public struct SDMRequestResults: Sendable {
    /// The URL with which the request started; redirects change only `url`.
    public internal(set) var originalURL: URL?
    /// The target of the last redirect; nil without one.
    public internal(set) var redirectURL: URL?
    /// The number of redirects that were followed.
    public internal(set) var redirectCount = 0
    /// The number of attempts after a timeout or a lost connection.
    public internal(set) var retryCount = 0
    /// The number of attempts after a 401.
    public internal(set) var authenticationRetryCount = 0
    /// The number of attempts after a 407.
    public internal(set) var proxyAuthenticationRetryCount = 0
    /// The realm of the last 401; nil without one.
    public internal(set) var authenticationRealm: String?
    /// The realm of the last 407; nil without one.
    public internal(set) var proxyAuthenticationRealm: String?

    /// The status; 0 before the response.
    public internal(set) var responseStatusCode = 0
    /// The status line, such as `HTTP/1.1 404 Not Found`; nil before the response.
    ///
    /// URLSession does not tell the version and the server's own phrase, so these are `HTTP/1.1` and the standard
    /// phrase.
    public internal(set) var responseStatusMessage: String?
    /// The fields of the response by name in any case; nil before it.
    public internal(set) var responseHeaders: SDMResponseHeaders?
    /// The cookies that the response set, also without cookie persistence; nil before the response.
    public internal(set) var responseCookies: [HTTPCookie]?
    /// The encoding of the response body; the default encoding if the response has no known charset.
    public internal(set) var responseEncoding = String.Encoding.isoLatin1
    /// The declared number of bytes of the body; 0 if unknown. After a resumed download, the number of remaining bytes.
    public internal(set) var contentLength: Int64 = 0
    /// The number of bytes that a resumed download had before.
    public internal(set) var partialDownloadSize: Int64 = 0
    /// The number of bytes of the body so far, without those of ``partialDownloadSize``.
    public internal(set) var totalBytesRead: Int64 = 0
    /// The number of bytes of the request body sent so far.
    public internal(set) var totalBytesSent: Int64 = 0
    /// True when the response was compressed with gzip; its data is decompressed.
    public internal(set) var isResponseCompressed = false
    /// True when the response came from the cache.
    public internal(set) var didUseCachedResponse = false
    /// True when the server and the request allow the connection to be used again. URLSession decides itself.
    public internal(set) var connectionCanBeReused = false

    /// The error of a failed request; nil before the end and without a failure.
    public internal(set) var error: SDMError?
    /// True after the end of the request, by any outcome.
    public internal(set) var complete = false
    /// True between the start and the end.
    public internal(set) var inProgress = false
    /// True after ``SDMHttpRequest/cancel()``.
    public internal(set) var isCancelled = false

    /// The body in memory; nil without a body.
    var body: Data?
}

extension SDMRequestResults {
    /// Appends bytes of the body in place.
    mutating func append(_ data: Data) { if body == nil { body = data } else { body?.append(data) } }

    /// True after the end of the request, by any outcome; the same as ``complete``.
    public var isFinished: Bool { complete }
}

extension SDMRequestResults: CustomStringConvertible, CustomReflectable {
    /// The status line; no fields, cookies or body.
    public var description: String { responseStatusMessage ?? "(no response)" }
    /// Same content as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["results": description]) }
}
