/// Header field name: a token, case-insensitive (RFC 9110, section 5.1).
public struct HTTPFieldName: Hashable, Sendable, CustomStringConvertible {
    /// The name as written and sent.
    public let rawName: String
    /// The name in lower case, used for comparison.
    public let canonicalName: String

    /// Creates a field name.
    /// - Throws: `HTTPMessageError` (`invalidFieldName`) if the name is not a token.
    public init(_ name: String) throws(HTTPMessageError) {
        guard name.isHTTPToken else {
            throw HTTPMessageError(
                .invalidFieldName,
                "Invalid header field name; use one or more letters, digits or !#$%&'*+-.^_`|~.")
        }
        self.init(known: name)
    }

    private init(known name: String) {
        rawName = name
        canonicalName = name.lowercased()
    }

    /// Compares names case-insensitively.
    public static func == (left: HTTPFieldName, right: HTTPFieldName) -> Bool {
        // The lengths first: most names differ in them, and to compare the texts costs more.
        left.canonicalName.utf8.count == right.canonicalName.utf8.count && left.canonicalName == right.canonicalName
    }

    /// Hashes the canonical name.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonicalName) }

    /// Same as ``rawName``.
    public var description: String { rawName }
}

extension HTTPFieldName {
    /// `Accept`
    public static let accept = HTTPFieldName(known: "Accept")
    /// `Accept-Encoding`
    public static let acceptEncoding = HTTPFieldName(known: "Accept-Encoding")
    /// `Accept-Language`
    public static let acceptLanguage = HTTPFieldName(known: "Accept-Language")
    /// `Accept-Ranges`
    public static let acceptRanges = HTTPFieldName(known: "Accept-Ranges")
    /// `Age`
    public static let age = HTTPFieldName(known: "Age")
    /// `Authorization`
    public static let authorization = HTTPFieldName(known: "Authorization")
    /// `Cache-Control`
    public static let cacheControl = HTTPFieldName(known: "Cache-Control")
    /// `Cache-Status`
    public static let cacheStatus = HTTPFieldName(known: "Cache-Status")
    /// `Connection`
    public static let connection = HTTPFieldName(known: "Connection")
    /// `Content-Disposition`
    public static let contentDisposition = HTTPFieldName(known: "Content-Disposition")
    /// `Content-Encoding`
    public static let contentEncoding = HTTPFieldName(known: "Content-Encoding")
    /// `Content-Length`
    public static let contentLength = HTTPFieldName(known: "Content-Length")
    /// `Content-Location`
    public static let contentLocation = HTTPFieldName(known: "Content-Location")
    /// `Content-Range`
    public static let contentRange = HTTPFieldName(known: "Content-Range")
    /// `Content-Type`
    public static let contentType = HTTPFieldName(known: "Content-Type")
    /// `Cookie`
    public static let cookie = HTTPFieldName(known: "Cookie")
    /// `Date`
    public static let date = HTTPFieldName(known: "Date")
    /// `ETag`
    public static let etag = HTTPFieldName(known: "ETag")
    /// `Expires`
    public static let expires = HTTPFieldName(known: "Expires")
    /// `Host`
    public static let host = HTTPFieldName(known: "Host")
    /// `Idempotency-Key`
    public static let idempotencyKey = HTTPFieldName(known: "Idempotency-Key")
    /// `If-Match`
    public static let ifMatch = HTTPFieldName(known: "If-Match")
    /// `If-Modified-Since`
    public static let ifModifiedSince = HTTPFieldName(known: "If-Modified-Since")
    /// `If-None-Match`
    public static let ifNoneMatch = HTTPFieldName(known: "If-None-Match")
    /// `If-Range`
    public static let ifRange = HTTPFieldName(known: "If-Range")
    /// `If-Unmodified-Since`
    public static let ifUnmodifiedSince = HTTPFieldName(known: "If-Unmodified-Since")
    /// `Last-Modified`
    public static let lastModified = HTTPFieldName(known: "Last-Modified")
    /// `Link`
    public static let link = HTTPFieldName(known: "Link")
    /// `Location`
    public static let location = HTTPFieldName(known: "Location")
    /// `Pragma`
    public static let pragma = HTTPFieldName(known: "Pragma")
    /// `Proxy-Authenticate`
    public static let proxyAuthenticate = HTTPFieldName(known: "Proxy-Authenticate")
    /// `Proxy-Authorization`
    public static let proxyAuthorization = HTTPFieldName(known: "Proxy-Authorization")
    /// `Range`
    public static let range = HTTPFieldName(known: "Range")
    /// `RateLimit` (draft-ietf-httpapi-ratelimit-headers)
    package static let rateLimit = HTTPFieldName(known: "RateLimit")
    /// `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers)
    package static let rateLimitPolicy = HTTPFieldName(known: "RateLimit-Policy")
    /// `RateLimit-Remaining`
    package static let rateLimitRemaining = HTTPFieldName(known: "RateLimit-Remaining")
    /// `RateLimit-Reset`
    package static let rateLimitReset = HTTPFieldName(known: "RateLimit-Reset")
    /// `Retry-After`
    public static let retryAfter = HTTPFieldName(known: "Retry-After")
    /// `Set-Cookie`
    public static let setCookie = HTTPFieldName(known: "Set-Cookie")
    /// `Transfer-Encoding`
    public static let transferEncoding = HTTPFieldName(known: "Transfer-Encoding")
    /// `User-Agent`
    public static let userAgent = HTTPFieldName(known: "User-Agent")
    /// `Vary`
    public static let vary = HTTPFieldName(known: "Vary")
    /// `WWW-Authenticate`
    public static let wwwAuthenticate = HTTPFieldName(known: "WWW-Authenticate")
    /// `X-RateLimit-Remaining`
    package static let xRateLimitRemaining = HTTPFieldName(known: "X-RateLimit-Remaining")
    /// `X-RateLimit-Reset`
    package static let xRateLimitResource = HTTPFieldName(known: "X-RateLimit-Resource")
    package static let xRateLimitReset = HTTPFieldName(known: "X-RateLimit-Reset")
    /// `X-Rate-Limit-Remaining`
    package static let xRateDashLimitRemaining = HTTPFieldName(known: "X-Rate-Limit-Remaining")
    /// `X-Rate-Limit-Reset`
    package static let xRateDashLimitReset = HTTPFieldName(known: "X-Rate-Limit-Reset")
    /// `traceparent` (W3C Trace Context)
    public static let traceparent = HTTPFieldName(known: "traceparent")
    /// `tracestate` (W3C Trace Context)
    public static let tracestate = HTTPFieldName(known: "tracestate")
}
