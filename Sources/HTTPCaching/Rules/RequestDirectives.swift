import HTTPMessages

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
