import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import SDMConnectivity

/// A response is cached under its own URL, also after a redirect.
@Suite(.needsSlot) struct CacheRedirectTests {
    private let folder: TemporaryFolder
    private let first = URL(string: "http://first.example.com/data")
    /// The target of the first URL's redirect; nil for a response of its own.
    private let target = Watched<String?>("http://second.example.net/data")
    private let transport: ScriptedTransport
    private let session: SDMSession

    init() throws {
        folder = try TemporaryFolder()
        transport = ScriptedTransport { [target] request in
            let isFirst = request.url.host() == "first.example.com" && request.url.path() == "/data"
            if isFirst, let target = target.value {
                return request.response(.found, fields: try HTTPFields(["Location": target]))
            }
            let etag = isFirst ? "\"first\"" : "\"second\""
            let isSame = request.fields[.ifNoneMatch] == etag
            return request.response(
                isSame ? .notModified : .ok, fields: try HTTPFields(["ETag": etag]),
                body: Data((isSame ? "" : etag).utf8))
        }
        session = SDMSession(
            transport: transport, configuration: .init(delivery: .inline),
            downloadCache: SDMDownloadCache(storagePath: folder.url))
    }

    /// Sends a GET; returns the body and whether it came from the cache.
    private func get(_ policy: SDMCachePolicy = .reloadIfDifferent) async throws -> String {
        let request = session.get(first)
        request.downloadCache = session.downloadCache
        request.cachePolicy = policy
        request.cacheStoragePolicy = .permanent
        try await request.response()
        return (request.responseString ?? "") + (request.didUseCachedResponse ? " cached" : "")
    }

    /// The hosts and the entity tags of the requests so far.
    private var sent: [String] {
        transport.requests.map { "\($0.url.host() ?? "") \($0.fields[.ifNoneMatch] ?? "-")" }
    }

    @Test func `S43: the entity tag of another server is sent to that server only`() async throws {
        #expect(try await get() == "\"second\"")
        #expect(try await get() == "\"second\" cached")
        #expect(
            sent == [
                "first.example.com -", "second.example.net -", "first.example.com -", "second.example.net \"second\"",
            ])
        #expect(session.downloadCache.cachedResponse(for: try #require(first)) == nil)
        #expect(session.downloadCache.cachedResponse(for: try URL(httpString: "http://second.example.net/data")) != nil)
    }

    @Test func `S43: a cached response of the target is used after the redirect`() async throws {
        #expect(try await get(.onlyLoadIfNotCached) == "\"second\"")
        #expect(try await get(.onlyLoadIfNotCached) == "\"second\" cached")
        #expect(sent.last == "first.example.com -" && sent.count == 3)
        // The target is not the response of the first URL.
        target.update { $0 = nil }
        #expect(try await get(.onlyLoadIfNotCached) == "\"first\"")
    }

    @Test func `S43: a URL that redirects since does not confirm its cached response by that of the target`()
        async throws
    {
        target.update { $0 = nil }
        #expect(try await get() == "\"first\"")
        target.update { $0 = "http://second.example.net/data" }
        #expect(try await get() == "\"second\"")
        #expect(sent.suffix(2) == ["first.example.com \"first\"", "second.example.net -"])
        #expect(session.downloadCache.cachedResponse(for: try #require(first))?.body == Data("\"first\"".utf8))
    }

    @Test func `a response of a transport that has followed a redirect is not cached`() throws {
        let request = try HTTPMessages.HTTPRequest(.get, "http://first.example.com/data")
        let rules = CacheRules()
        func isStorable(_ url: String) throws -> Bool {
            rules.isStorable(
                HTTPResponseHead(status: .ok, fields: .init(), url: try URL(httpString: url)), for: request)
        }
        #expect(try isStorable("http://FIRST.example.com:80/data#fragment"))
        #expect(try !isStorable("http://second.example.net/data") && !isStorable("http://first.example.com/other"))
    }
}
