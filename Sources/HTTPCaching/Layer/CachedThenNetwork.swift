public import HTTPMessages
public import Transport

/// The stored response to a request, if there is one, and then that of the server.
///
/// ```swift
/// for try await response in stack.cachedThenNetwork(request) { show(response) }
/// ```
///
/// A fresh stored response is the only one, unless a stale redirect has led to it. The stored response comes at once,
/// also without a network, unless it forbids to be used stale; then the error of the request is thrown. Both are of one
/// call, and of one user: after a sign-out between them the second one is an error. A request with another cache policy
/// than `.standard` has one response, by that policy.
public struct CachedThenNetwork: AsyncSequence, Sendable {
    /// Delivers one or two responses.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Step { case cache, network, end }

        private var request: HTTPRequest
        private let transport: any Transport
        private var step = Step.cache

        fileprivate init(_ sequence: CachedThenNetwork) {
            (request, transport) = (sequence.request, sequence.transport)
            request.options.beginCall()
            if request.options.cachePolicy != .standard { step = .network }
        }

        /// The next response; nil at the end.
        /// - Throws: the errors of the transport; nothing follows.
        public mutating func next() async throws -> HTTPResponse? {
            if step == .cache {
                step = .end
                var stored = request
                stored.options.cachePolicy = .onlyIfCached
                let response = try await transport.send(stored, observer: nil)
                // Each redirect on the way may be stale too.
                let isFresh = (response.head.redirects + [response.head]).allSatisfy(\.isFreshHit)
                step = isFresh ? .end : .network
                if response.head.cacheStatus?.isHit ?? false { return response }
            }
            guard step == .network else { return nil }
            step = .end
            var current = request
            if request.options.cachePolicy == .standard, !current.fields.contains(.cacheControl) {
                current.fields[.cacheControl] = "no-cache"
            }
            return try await transport.send(current, observer: nil)
        }
    }

    fileprivate let request: HTTPRequest
    fileprivate let transport: any Transport

    /// Starts a call.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPResponseHead {
    /// True for a stored response that is fresh.
    fileprivate var isFreshHit: Bool { cacheStatus.map { $0.isHit && $0.timeToLive ?? 0 > 0 } ?? false }
}

extension Transport {
    /// The stored response to a request, and then that of the server; there must be a cache among the layers.
    public func cachedThenNetwork(_ request: HTTPRequest) -> CachedThenNetwork {
        CachedThenNetwork(request: request, transport: self)
    }
}
