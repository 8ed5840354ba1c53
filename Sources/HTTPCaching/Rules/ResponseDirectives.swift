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
