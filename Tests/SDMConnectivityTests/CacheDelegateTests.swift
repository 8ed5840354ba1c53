import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Cached responses, and delegates that take the bytes of the body.
@Suite(.needsSlot) struct CacheDelegateTests {
    private static let url = URL(string: "http://example.com/data")

    /// A transport that loses each connection after a part of the body.
    private struct Cut: StreamingTransport {
        let part: String

        func send(
            _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(
            _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponseStream {
            HTTPResponseStream(
                head: HTTPResponseHead(status: .ok, fields: HTTPFields(), url: request.url),
                body: AsyncThrowingStream.cut(after: part, of: request))
        }
    }

    /// A request of a session that has cached a response.
    private static func request(
        _ transport: some Transport, _ policy: SDMCachePolicy, delivery: Delivery = .inline
    ) throws -> SDMHttpRequest {
        let session = SDMSession.test(transport) { $0.delivery = delivery }
        let request = session.get(url)
        request.downloadCache = session.downloadCache
        request.cachePolicy = policy
        let plain = try HTTPMessages.HTTPRequest(.get, "http://example.com/data")
        session.downloadCache.store(
            plain.response(fields: try HTTPFields(["Cache-Control": "max-age=60"]), body: Data("cached".utf8)),
            for: plain, options: request.settings.cacheOptions)
        return request
    }

    @Test(arguments: [SDMCachePolicy.reloadIfDifferent, .useCacheIfLoadFails])
    func `S29, S43: the delegate gets all bytes of a cached response, and the request keeps none`(
        policy: SDMCachePolicy
    ) async throws {
        let request = try Self.request(Cut(part: ""), policy)
        let delegate = CollectingDelegate()
        request.delegate = delegate
        #expect(await request.ended() == nil && request.didUseCachedResponse)
        #expect(delegate.bytes.value == Data("cached".utf8) && request.responseData == nil)
    }

    @Test func `S29, S43: the delegate of a download gets them too`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let request = try Self.request(Cut(part: ""), .reloadIfDifferent)
        let delegate = CollectingDelegate()
        request.delegate = delegate
        request.downloadDestinationPath = file.path
        #expect(await request.ended() == nil && request.didUseCachedResponse)
        #expect(try delegate.bytes.value == Data("cached".utf8) && Data(contentsOf: file) == Data("cached".utf8))
    }

    @Test(arguments: [false, true])
    func `S29, S43: a cached response does not follow a part of another one that the delegate has got`(
        isQueued: Bool
    ) async throws {
        let delivery = isQueued ? Delivery.queue(DispatchQueue(label: "delegates")) : .inline
        let request = try Self.request(Cut(part: "par"), .useCacheIfLoadFails, delivery: delivery)
        let delegate = CollectingDelegate()
        request.delegate = delegate
        #expect(await request.ended()?.code == .connectionFailure && !request.didUseCachedResponse)
        #expect(delegate.bytes.value == Data("par".utf8))
    }

    /// Tells when it is asked for the response in place of a failure.
    private final class AnnouncingCache: DownloadCaching {
        let base: any DownloadCaching
        let isAsked = DispatchSemaphore(value: 0)

        init(_ base: any DownloadCaching) { self.base = base }

        func decision(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> CacheDecision { .load }
        func confirmed(
            by head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions
        ) -> HTTPResponse? { nil }
        func accepts(
            _ head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions
        ) -> Bool { false }
        func store(_ response: HTTPResponse, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) {}
        func fallback(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> HTTPResponse? {
            defer { isAsked.signal() }
            return base.fallback(for: request, options: options)
        }
        func removeCachedData(for url: URL) {}
        func clearCachedResponses(for storage: SDMCacheStoragePolicy) {}
    }

    @Test func `S43: a cached response is not used after a clear while its request waits for the delegate`()
        async throws
    {
        let queue = DispatchQueue(label: "delegates")
        let request = try Self.request(Cut(part: "par"), .useCacheIfLoadFails, delivery: .queue(queue))
        let cache = AnnouncingCache(request.session.downloadCache)
        request.downloadCache = cache
        let delegate = LoggingDelegate()
        request.delegate = delegate
        // The delegate is called once the app has signed out.
        queue.async {
            _ = cache.isAsked.waitUnlessHung()
            request.session.clear()
        }
        #expect(await request.ended()?.code == .connectionFailure && !request.didUseCachedResponse)
        #expect(try await delegate.ended().last?.hasPrefix("failed") == true)
    }

    @Test(arguments: [false, true])
    func `S43: it does if the delegate leaves the bytes to the request`(isQueued: Bool) async throws {
        let delivery = isQueued ? Delivery.queue(DispatchQueue(label: "delegates")) : .inline
        let request = try Self.request(Cut(part: "par"), .useCacheIfLoadFails, delivery: delivery)
        let delegate = LoggingDelegate()
        request.delegate = delegate
        #expect(await request.ended() == nil && request.didUseCachedResponse)
        #expect(request.responseString == "cached")
        #expect(try await delegate.ended().last == "finished 200")
    }
}
