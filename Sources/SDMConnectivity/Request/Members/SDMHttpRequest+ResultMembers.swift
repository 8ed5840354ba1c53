public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// The results so far. Objects of the vendor's header are implicitly unwrapped, as Swift imported it: they are optional
// where code treats them so.

extension SDMHttpRequest {
    /// The URL with which the request started; redirects change only `url`.
    public var originalURL: URL! { result(\.originalURL) }
    /// The target of the last redirect; nil without one.
    public var redirectURL: URL? { result(\.redirectURL) }
    /// The number of redirects that were followed.
    public var redirectCount: Int { result(\.redirectCount) }
    /// The number of attempts after a timeout or a lost connection.
    public var retryCount: Int { result(\.retryCount) }
    /// The number of attempts after a 401.
    public var authenticationRetryCount: Int { result(\.authenticationRetryCount) }
    /// The number of attempts after a 407.
    public var proxyAuthenticationRetryCount: Int { result(\.proxyAuthenticationRetryCount) }
    /// The realm of the last 401; nil without one.
    public var authenticationRealm: String! { result(\.authenticationRealm) }
    /// The realm of the last 407; nil without one.
    public var proxyAuthenticationRealm: String! { result(\.proxyAuthenticationRealm) }

    /// The status; 0 before the response.
    public var responseStatusCode: Int { result(\.responseStatusCode) }
    /// The status line, such as `HTTP/1.1 404 Not Found`; nil before the response.
    ///
    /// URLSession does not tell the version and the server's own phrase, so these are `HTTP/1.1` and the standard
    /// phrase.
    public var responseStatusMessage: String! { result(\.responseStatusMessage) }
    /// The fields of the response by name in any case; nil before it.
    public var responseHeaders: SDMResponseHeaders! { result(\.responseHeaders) }
    /// The cookies that the response set, also without cookie persistence; nil before the response.
    public var responseCookies: [HTTPCookie]! { result(\.responseCookies) }
    /// The encoding of the response body; the default encoding if the response has no known charset.
    public var responseEncoding: String.Encoding { result(\.responseEncoding) }
    /// The declared number of bytes of the body; 0 if unknown. After a resumed download, the number of remaining bytes.
    public var contentLength: Int64 { result(\.contentLength) }
    /// The number of bytes that a resumed download had before.
    public var partialDownloadSize: Int64 { result(\.partialDownloadSize) }
    /// The number of bytes of the body so far, without those of ``partialDownloadSize``.
    public var totalBytesRead: Int64 { result(\.totalBytesRead) }
    /// The number of bytes of the request body sent so far.
    public var totalBytesSent: Int64 { result(\.totalBytesSent) }
    /// True when the response was compressed with gzip; its data is decompressed.
    public var isResponseCompressed: Bool { result(\.isResponseCompressed) }
    /// True when the response came from the cache.
    public var didUseCachedResponse: Bool { result(\.didUseCachedResponse) }
    /// True when the server and the request allow the connection to be used again. URLSession decides itself.
    public var connectionCanBeReused: Bool { result(\.connectionCanBeReused) }

    /// The error of a failed request; nil before the end and without a failure.
    public var error: SDMError! { result(\.error) }
    /// True after the end of the request, by any outcome.
    public var complete: Bool { result(\.complete) }
    /// True between the start and the end.
    public var inProgress: Bool { result(\.inProgress) }
    /// True after ``SDMHttpRequest/cancel()``.
    public var isCancelled: Bool { result(\.isCancelled) }
    /// True after the end of the request, by any outcome; the same as ``complete``.
    public var isFinished: Bool { result(\.complete) }

    private func result<Value: Sendable>(_ path: KeyPath<SDMRequestResults, Value>) -> Value {
        state.withLock { $0.results[keyPath: path] }
    }
}
