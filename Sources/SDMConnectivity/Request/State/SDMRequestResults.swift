import Foundation
import HTTPMessages
import OData
import PatchbayErrors

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The results of a request so far, which are members of ``SDMHttpRequest`` and documented there.
struct SDMRequestResults: Sendable {
    var originalURL: URL?
    var redirectURL: URL?
    var redirectCount = 0
    var retryCount = 0
    var authenticationRetryCount = 0
    var proxyAuthenticationRetryCount = 0
    var authenticationRealm: String?
    /// The scheme of the server's last challenge.
    var authenticationScheme: String?
    var proxyAuthenticationRealm: String?

    var responseStatusCode = 0
    var responseStatusMessage: String?
    var responseHeaders: SDMResponseHeaders?
    var responseCookies: [HTTPCookie]?
    var responseEncoding = String.Encoding.isoLatin1
    var contentLength: Int64 = 0
    var partialDownloadSize: Int64 = 0
    var totalBytesRead: Int64 = 0
    var totalBytesSent: Int64 = 0
    var isResponseCompressed = false
    var didUseCachedResponse = false
    var connectionCanBeReused = false

    /// The head of the last response.
    var head: HTTPResponseHead?
    /// The heads of the followed redirects, the oldest first.
    var followedHeads: [HTTPResponseHead] = []
    /// The service's error of a finished request; nil until it was read, the inner value is nil without an error.
    var odataError: ODataError??
    var error: SDMError?
    var complete = false
    var inProgress = false
    var isCancelled = false

    /// The body in memory; nil without a body.
    var body: Data?
    /// True once the body is complete in the file of a download.
    var isInFile = false
}

extension SDMRequestResults {
    /// Appends bytes of the body in place.
    mutating func append(_ data: Data) { if body == nil { body = data } else { body?.append(data) } }
}

extension SDMRequestResults: RedactedStringConvertible {
    /// The status line; no fields, cookies or body.
    var description: String { responseStatusMessage ?? "(no response)" }
}
