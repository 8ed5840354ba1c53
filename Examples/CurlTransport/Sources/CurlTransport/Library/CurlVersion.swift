/// The version of libcurl and the features that depend on it.
struct CurlVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The version in hexadecimal, one byte each for major, minor and patch.
    let number: Int
    /// The features of the build, a bit mask.
    let features: CInt

    init(number: Int, features: CInt = 0) {
        self.number = number
        self.features = features
    }

    init(_ major: Int, _ minor: Int, _ patch: Int = 0) { self.init(number: major << 16 | minor << 8 | patch) }

    /// The oldest supported version, 7.68.0.
    ///
    /// It is the oldest that a current distribution ships, and has all options that are set for every transfer.
    static let minimum = CurlVersion(7, 68)

    static func < (left: CurlVersion, right: CurlVersion) -> Bool { left.number < right.number }

    var description: String { "\(number >> 16).\(number >> 8 & 255).\(number & 255)" }

    var hasTLS: Bool { features & 1 << 2 != 0 }
    var hasHTTP2: Bool { features & 1 << 16 != 0 }
    /// HTTP proxies over TLS.
    var hasHTTPSProxy: Bool { features & 1 << 21 != 0 }
    /// HTTP/3, with an earlier version as the fallback (`CURL_HTTP_VERSION_3`).
    var hasHTTP3: Bool { features & 1 << 25 != 0 && self >= CurlVersion(7, 88) }
    /// A request for HTTP/1.1 does not use a connection of HTTP/2.
    var separatesVersions: Bool { self >= CurlVersion(7, 88) }
    /// Client certificates from memory (`CURLOPT_SSLCERT_BLOB`).
    var hasCertificateBlobs: Bool { self >= CurlVersion(7, 71) }
    /// Trust anchors from memory (`CURLOPT_CAINFO_BLOB`).
    var hasTrustAnchorBlobs: Bool { self >= CurlVersion(7, 77) }
    /// A callback before each request is sent (`CURLOPT_PREREQFUNCTION`).
    var hasRequestCallback: Bool { self >= CurlVersion(7, 80) }
    /// A second HTTP/2 request with prior knowledge breaks its connection (7.88 only).
    var breaksPriorKnowledge: Bool { self >= CurlVersion(7, 88) && self < CurlVersion(8, 0) }
    /// Removing a handle does not wait for its name resolution (`CURLOPT_QUICK_EXIT`).
    var hasQuickExit: Bool { self >= CurlVersion(7, 87) }
    /// A reused easy handle uses freed memory when the first field line of a response is a continuation line.
    var usesFreedHeaders: Bool { self >= CurlVersion(7, 84) && self < CurlVersion(8, 1) }
    /// The failure of an HTTP/2 session ends its transfers as if they were complete, and the connection stays in use.
    var hidesHTTP2Failures: Bool { self < CurlVersion(8, 1) }
    /// The time for which trust anchors are kept in memory (`CURLOPT_CA_CACHE_TIMEOUT`).
    var cachesTrustAnchors: Bool { self >= CurlVersion(7, 87) }
}
