public import HTTPMessages

extension RequestOptions {
    /// The path of a Unix domain socket to connect to, in place of the host of the URL; default nil.
    ///
    /// The URL's scheme, host and port stay as they are for `Host`, cookies, credentials and certificates. A proxy is
    /// not used, and a cache is neither read nor written. A redirect to another origin goes to the host of its URL.
    /// Layers that learn about an origin pass the request on: `circuitBreaking`, `balancing`, `compressingRequests`.
    /// `limiting` by origin or template has a limit for each socket of an origin.
    /// `CurlTransport` has it; other engines fail with `unsupported` before anything is sent.
    public var unixSocketPath: String? {
        get { self[UnixSocketPath.self] }
        set { self[UnixSocketPath.self] = newValue }
    }

    /// Addresses to connect to in place of the hosts of URLs, by lower-case host; default empty.
    ///
    /// ```swift
    /// request.options.nameOverrides = ["api.example.com": "127.0.0.1"]
    /// ```
    ///
    /// A value is an IP address or another host name. IPv6 addresses have no brackets, also as hosts. Port, `Host` and
    /// certificate checks stay those of the URL. They hold for this request and its redirects only: a connection to an
    /// override is not used by other requests, a cache is neither read nor written, and layers that learn about an
    /// origin pass the request on or limit it by its address, as for ``unixSocketPath``.
    /// `CurlTransport` has it; other engines fail with `unsupported` before anything is sent.
    public var nameOverrides: [String: String] {
        get { self[NameOverrides.self] }
        set { self[NameOverrides.self] = newValue }
    }

    /// True if the URL's host does not tell where to connect: the response may not be that of the URL.
    package var hasOwnDestination: Bool { unixSocketPath != nil || !nameOverrides.isEmpty }

    /// Where a request for an origin is sent instead, to a socket or a host; nil if it is sent to the origin.
    package func destination(insteadOf origin: Origin) -> String? {
        // Only in a URL has an IPv6 address brackets.
        let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
        return unixSocketPath ?? nameOverrides[host]
    }

    /// True if a request for an origin is sent elsewhere: what happens there tells nothing of the origin.
    package func leadElsewhere(than origin: Origin) -> Bool { destination(insteadOf: origin) != nil }

    /// The version of HTTP to ask for; default nil, which leaves it to the engine.
    ///
    /// The metrics of the response tell which version was used. `CurlTransport` has it; URLSession on Apple's
    /// platforms has ``HTTPVersionPreference/http3`` only. Otherwise the request fails with `unsupported` before
    /// anything is sent.
    public var httpVersion: HTTPVersionPreference? {
        get { self[HTTPVersionKey.self] }
        set { self[HTTPVersionKey.self] = newValue }
    }
}

extension HTTPRequest {
    /// True if it is not sent to the host of its URL.
    package var isElsewhere: Bool { options.hasLayerOptions && options.leadElsewhere(than: origin) }
}

/// A version of HTTP that a request asks for.
@nonexhaustive public enum HTTPVersionPreference: String, Hashable, Sendable, CaseIterable {
    /// HTTP/1.1, and no other version.
    case http1
    /// HTTP/2: over TLS, HTTP/1.1 if the server lacks it; without TLS by prior knowledge (RFC 9113, section 3.3).
    case http2
    /// HTTP/3 over https, and an earlier version if the server lacks it (RFC 9114).
    case http3
}

private enum UnixSocketPath: RequestOptionKey {
    static var defaultValue: String? { nil }
}

private enum NameOverrides: RequestOptionKey {
    static let defaultValue: [String: String] = [:]
}

private enum HTTPVersionKey: RequestOptionKey {
    static var defaultValue: HTTPVersionPreference? { nil }
}
