public import HTTPMessages

/// How a cache handled a request: a member of the field `Cache-Status` (RFC 9211).
///
/// ```swift
/// response.head.cacheStatus?.isHit  // true: nothing was sent
/// print(response.head.cacheStatus)  // Patchbay; fwd=stale; fwd-status=304; stored
/// ```
public struct CacheStatus: Hashable, Sendable {
    /// Why a request was sent (RFC 9211, section 2.2).
    @nonexhaustive public enum Forward: String, Hashable, Sendable, CaseIterable {
        /// The cache was not asked: its policy, or a request that only the server can answer.
        case bypass
        /// The method cannot be answered from a cache.
        case method
        /// Nothing is stored for the URL, the user and the content of a `QUERY`.
        case uriMiss = "uri-miss"
        /// Responses are stored for the URL and the user, but none for these fields.
        case varyMiss = "vary-miss"
        /// Nothing usable is stored; another cache does not say why.
        case miss
        /// A fresh response is stored, but the request does not accept it.
        case request
        /// The stored response is stale.
        case stale
        /// Only a part of the response is stored.
        case partial
    }

    /// The name of the cache.
    public var cache: String
    /// True if the response was used from the cache, and nothing was sent for it.
    public var isHit = false
    /// Why the request was sent; nil for a hit.
    public var forward: Forward?
    /// The status of the response to the sent request; nil if it is that of this response, or if there is none.
    public var forwardStatus: Int?
    /// True if the response is stored, or a stored one was updated; of a stream, if its body will be stored.
    public var isStored = false
    /// True if the request of another call brought the response.
    public var isCollapsed = false
    /// Seconds for which the response is still fresh, rounded up; 0 or less for a stale one, nil if it is not known.
    public var timeToLive: Int?
    /// The cache key, as another cache states it; never set by this one, since URLs may have secrets.
    public var key: String?
    /// More about it, in words.
    public var detail: String?

    /// Creates a status without properties.
    public init(cache: String = "Patchbay") { self.cache = cache }

    /// The statuses in the `Cache-Status` fields of a response, that of the cache next to the server first.
    ///
    /// Those of other caches on the way; that of this package's cache is ``HTTPMessages/HTTPResponseHead/cacheStatus``.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`).
    public static func list(in fields: HTTPFields) throws(HTTPMessageError) -> [CacheStatus] {
        guard let text = fields[.cacheStatus] else { return [] }
        return try StructuredList(parsing: text).members.compactMap { $0.item.flatMap(CacheStatus.init) }
    }

    private init?(_ item: StructuredItem) {
        guard let cache = item.value.text else { return nil }
        self.init(cache: cache)
        let parameters = item.parameters
        isHit = parameters["hit"]?.bool ?? false
        forward = parameters["fwd"]?.text.flatMap(Forward.init)
        forwardStatus = parameters["fwd-status"]?.integer.map { Int(clamping: $0) }
        isStored = parameters["stored"]?.bool ?? false
        isCollapsed = parameters["collapsed"]?.bool ?? false
        timeToLive = parameters["ttl"]?.integer.map { Int(clamping: $0) }
        key = parameters["key"]?.text
        detail = parameters["detail"]?.text
    }
}

extension CacheStatus: CustomStringConvertible {
    /// The member of the field.
    public var description: String {
        var parts = [cache.isHTTPToken && cache.utf8.first.map(\.startsToken) ?? false ? cache : cache.quotedString]
        if isHit { parts.append("hit") }
        if let forward { parts.append("fwd=\(forward.rawValue)") }
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        if let key { parts.append("key=\(key.quotedString)") }
        if let detail { parts.append("detail=\(detail.quotedString)") }
        return parts.joined(separator: "; ")
    }
}

extension UInt8 {
    /// True for the first character of a token of a structured field.
    fileprivate var startsToken: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == 0x2A }
}

private enum CacheStatusKey: ResponseMetadataKey { static let defaultValue: CacheStatus? = nil }

extension HTTPResponseHead {
    /// How the cache of this package handled the request; nil without one.
    public var cacheStatus: CacheStatus? {
        get { self[CacheStatusKey.self] }
        set { self[CacheStatusKey.self] = newValue }
    }
}
