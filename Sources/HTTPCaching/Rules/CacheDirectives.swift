import HTTPMessages

/// The `Cache-Control` of a response as a cache obeys it: of contradicting directives the strictest counts.
struct ResponseDirectives: Hashable, Sendable {
    var noStore = false
    /// True for `no-cache` without names of fields, or with malformed ones.
    var noCache = false
    /// The fields of `no-cache="a, b"`, in lower case: they are not stored.
    var noCacheFields: [String] = []
    var isPrivate = false
    var privateFields: [String] = []
    var isPublic = false
    var mustRevalidate = false
    var proxyRevalidate = false
    var mustUnderstand = false
    var isImmutable = false
    /// Seconds.
    var maxAge: Double?
    var sharedMaxAge: Double?
    var staleWhileRevalidate: Double?
    var staleIfError: Double?

    init(_ fields: HTTPFields) {
        guard fields.contains(.cacheControl) else {
            // The directive of HTTP/1.0, which `Cache-Control` replaces.
            noCache = fields[.pragma]?.lowercased().contains("no-cache") ?? false
            return
        }
        let control = CacheControl(fields)
        noStore = control.noStore
        (noCache, noCacheFields) = control.names(in: "no-cache")
        (isPrivate, privateFields) = control.names(in: "private")
        isPublic = control.contains("public")
        mustRevalidate = control.mustRevalidate
        proxyRevalidate = control.contains("proxy-revalidate")
        mustUnderstand = control.contains("must-understand")
        isImmutable = control.isImmutable
        maxAge = control.seconds("max-age", invalid: 0)
        sharedMaxAge = control.seconds("s-maxage", invalid: 0)
        staleWhileRevalidate = control.seconds("stale-while-revalidate", invalid: 0)
        staleIfError = control.seconds("stale-if-error", invalid: 0)
    }
}

/// The `Cache-Control` of a request.
struct RequestDirectives: Hashable, Sendable {
    var noStore = false
    var noCache = false
    var onlyIfCached = false
    /// Seconds.
    var maxAge: Double?
    var minFresh: Double?
    /// Infinite for a directive without argument.
    var maxStale: Double?
    var staleIfError: Double?

    init() {}

    init(_ fields: HTTPFields) {
        guard fields.contains(.cacheControl) else {
            noCache = fields[.pragma]?.lowercased().contains("no-cache") ?? false
            return
        }
        let control = CacheControl(fields)
        noStore = control.noStore
        noCache = control.noCache
        onlyIfCached = control.contains("only-if-cached")
        maxAge = control.seconds("max-age", invalid: 0)
        minFresh = control.greatestSeconds("min-fresh")
        staleIfError = control.seconds("stale-if-error", invalid: 0)
        if control.contains("max-stale") {
            let isUnlimited = control.arguments(of: "max-stale").allSatisfy { $0 == nil }
            maxStale = isUnlimited ? .infinity : control.seconds("max-stale", invalid: 0)
        }
    }

    /// True if the request accepts no stale response and no fresh one of any age.
    var restrictsAge: Bool { noCache || maxAge != nil || minFresh != nil }
}

extension CacheControl {
    /// The smallest of the arguments of a directive in seconds; nil without the directive.
    /// - Parameter invalid: the value of an argument that is no number.
    fileprivate func seconds(_ name: String, invalid: Double) -> Double? {
        arguments(of: name).map { $0.flatMap(\.deltaSeconds) ?? invalid }.min()
    }

    /// The greatest of the arguments; infinite for a malformed one, as the strict reading.
    fileprivate func greatestSeconds(_ name: String) -> Double? {
        arguments(of: name).map { $0.flatMap(\.deltaSeconds) ?? .infinity }.max()
    }

    /// A directive that may have names of fields.
    /// - Returns: whether it is about the whole response, and the names in lower case.
    fileprivate func names(in directive: String) -> (isUnqualified: Bool, names: [String]) {
        var (isUnqualified, names) = (false, [String]())
        for argument in arguments(of: directive) {
            let found = (argument ?? "").split(separator: ",").map { String($0).trimmingHTTPWhitespace.lowercased() }
                .filter { !$0.isEmpty }
            if found.isEmpty || !found.allSatisfy(\.isHTTPToken) { isUnqualified = true } else { names += found }
        }
        return (isUnqualified, names)
    }
}

extension String {
    /// Seconds of `delta-seconds` (RFC 9111, section 1.2.2), at most a century; nil for anything but digits.
    var deltaSeconds: Double? {
        let digits = utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Double($1 - 0x30), Freshness.century) }
    }
}
