public import HTTPMessages
public import Transport

/// A layer that answers requests from a cache, and stores responses in it (RFC 9111).
///
/// ```swift
/// let transport = URLSessionTransport.shared.circuitBreaking().caching(in: cache).redirecting()
/// let response = try await transport.send(request)
/// print(response.head.cacheStatus)  // Patchbay; hit; ttl=3540
/// ```
///
/// Put it next to the network and inside redirects, cookies and credentials: each step of a redirect is cached, and
/// the cache sees for which user a request is. `Documentation/Caching.md` says what is cached, and why not.
///
/// Calls of ``send(_:observer:)`` with the same key that find nothing wait for one request, if its response may be
/// stored. Those with a total timeout, and streams, do not wait for others. A further attempt of a hedged call waits
/// only for such attempts of other calls.
public struct Caching<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The cache.
    public let cache: HTTPCache
    /// Made once, since a call allocates nothing for it then.
    private let background: CacheCall.BackgroundSend

    /// Creates a layer over a transport.
    public init(base: Base, cache: HTTPCache) {
        self.base = base
        self.cache = cache
        background = { try await base.send($0, observer: nil) }
    }

    /// Responds from the cache, or sends the request and stores its response.
    /// - Throws: the base's errors; `TransportError` (`responseTooLarge`) for a stored body too.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await CacheCall(cache, request, observer, background: background).run { request, observer in
            try await base.send(request, observer: observer)
        }
    }
}

extension Caching: StreamingTransport where Base: StreamingTransport {
    /// Responds from the cache, or sends the request and stores its response when its body has been read.
    ///
    /// A body that its reader leaves, or that fails, is not stored.
    /// - Throws: the base's errors before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await CacheCall(cache, request, observer, background: background).run { request, observer in
            try await base.stream(request, observer: observer)
        }
    }
}

extension Transport {
    /// Answers requests from a cache.
    /// - Parameter cache: the responses; by default a new cache in memory.
    public func caching(in cache: HTTPCache = HTTPCache()) -> Caching<Self> { Caching(base: self, cache: cache) }
}
