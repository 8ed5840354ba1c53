public import HTTPMessages
public import Transport

/// The stored response to a request, if there is one, and then that of the server.
///
/// ```swift
/// for try await response in stack.cachedThenNetwork(request) { show(response) }
/// ```
///
/// A fresh stored response is the only one. The stored response comes at once, also without a network, unless it
/// forbids to be used stale; then the error of the request is thrown. Both are of one call, and of one user: after a
/// sign-out between them the second one is an error. A request with the cache policy `.noStore` or `.reload` has only
/// the response of the server.
public struct CachedThenNetwork: AsyncSequence, Sendable {
    /// Delivers one or two responses.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Step { case cache, network, end }
        /// Those that read no stored response.
        private static let withoutCache: Set<CachePolicy> = [.noStore, .reload]

        private var request: HTTPRequest
        private let transport: any Transport
        private var step = Step.cache

        fileprivate init(_ sequence: CachedThenNetwork) {
            (request, transport) = (sequence.request, sequence.transport)
            request.options.beginCall()
            if Self.withoutCache.contains(request.options.cachePolicy) { step = .network }
        }

        /// The next response; nil at the end.
        /// - Throws: the errors of the transport; nothing follows.
        public mutating func next() async throws -> HTTPResponse? {
            if step == .cache {
                step = .end
                var stored = request
                stored.options.cachePolicy = .onlyIfCached
                let response = try await transport.send(stored, observer: nil)
                let status = response.head.cacheStatus
                let isFresh = status?.timeToLive.map { $0 > 0 } ?? false
                step = status?.isHit ?? false && isFresh ? .end : .network
                if status?.isHit ?? false { return response }
            }
            guard step == .network else { return nil }
            step = .end
            var current = request
            if !Self.withoutCache.contains(request.options.cachePolicy) {
                current.options.cachePolicy = .standard
                if !current.fields.contains(.cacheControl) { current.fields[.cacheControl] = "no-cache" }
            }
            return try await transport.send(current, observer: nil)
        }
    }

    fileprivate let request: HTTPRequest
    fileprivate let transport: any Transport

    /// Starts a call.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension Transport {
    /// The stored response to a request, and then that of the server; there must be a cache among the layers.
    public func cachedThenNetwork(_ request: HTTPRequest) -> CachedThenNetwork {
        CachedThenNetwork(request: request, transport: self)
    }
}
