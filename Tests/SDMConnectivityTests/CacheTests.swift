import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct CacheTests {
    /// A server with an entity tag and a counter, a clock, and a session with a cache in a temporary folder.
    private struct Rig: Sendable {
        let folder: TemporaryFolder
        let date = Watched(Date(timeIntervalSince1970: 1_300_000_000))
        let fields = Watched<[String: String]>(["ETag": "\"1\""])
        let requests = Watched<[HTTPMessages.HTTPRequest]>([])
        let isDown = Watched(false)

        init() throws { folder = try TemporaryFolder() }

        /// The cache; each one has the same folder.
        var cache: SDMDownloadCache {
            SDMDownloadCache(storagePath: folder.url.appending(path: "cache")) { [date] in date.value }
        }

        func session(_ cache: SDMDownloadCache) -> SDMSession {
            let transport = FakeTransport { [requests, fields, isDown] request in
                let count = requests.update { requests in
                    requests.append(request)
                    return requests.count
                }
                if isDown.value { throw TransportError(.connectionRefused, "Connection refused.", request: request) }
                let head = try HTTPFields(fields.value.map { ($0.key, $0.value) })
                if let etag = head[.etag], request.fields["If-None-Match"] == etag {
                    return request.response(.notModified, fields: head)
                }
                return request.response(fields: head, body: Data("body \(count)".utf8))
            }
            return SDMSession(
                transport: transport, configuration: .init(delivery: .inline), downloadCache: cache)
        }

        /// Sends a GET; returns body and whether it came from the cache.
        func get(
            _ session: SDMSession, _ policy: SDMCachePolicy, _ storage: SDMCacheStoragePolicy = .session,
            _ change: (SDMHttpRequest) -> Void = { _ in }
        ) async throws -> String {
            let request = SDMHttpRequest(url: URL(string: "http://example.com/data"), session: session)
            request.downloadCache = session.downloadCache
            request.cachePolicy = policy
            request.cacheStoragePolicy = storage
            change(request)
            let response = try await request.response()
            #expect(response.status == .ok)
            let text = String(decoding: response.body, as: UTF8.self)
            return request.didUseCachedResponse ? text + " cached" : text
        }
    }

    @Test func `S43: reloadIfDifferent asks with the entity tag, and uses the body after a 304`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1")
        #expect(try await rig.get(session, .default) == "body 1 cached")
        #expect(rig.requests.value.last?.fields["If-None-Match"] == "\"1\"")
        rig.fields.update { $0["ETag"] = "\"2\"" }
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 3")
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 3 cached")
        #expect(rig.requests.value.count == 4)
    }

    @Test func `S43: a fresh response is used without a request, until it expires`() async throws {
        let rig = try Rig()
        rig.fields.update { $0["Cache-Control"] = "max-age=60" }
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1")
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1 cached")
        #expect(rig.requests.value.count == 1)
        rig.date.update { $0 += 61 }
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1 cached")
        #expect(rig.requests.value.count == 2)
        // The 304 has made it fresh again.
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1 cached")
        #expect(rig.requests.value.count == 2)
    }

    @Test func `S43: ignore neither reads nor writes`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .ignore) == "body 1")
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 2")
        #expect(try await rig.get(session, .ignore) == "body 3")
        #expect(rig.requests.value.last?.fields["If-None-Match"] == nil)
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 2 cached")
    }

    @Test func `S43: onlyLoadIfNotCached uses stale responses`() async throws {
        let rig = try Rig()
        rig.fields.update { $0 = ["Cache-Control": "max-age=1"] }
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 1")
        rig.date.update { $0 += 1000 }
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 1 cached")
        #expect(rig.requests.value.count == 1)
    }

    @Test func `a request from before clear() gets no response that was cached since`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        let plain = try HTTPMessages.HTTPRequest(.get, "http://example.com/data")
        #expect(
            try await rig.get(session, .onlyLoadIfNotCached) { request in
                request.noteStart()
                session.clear()
                session.downloadCache.store(
                    plain.response(text: "of Bob"), for: plain, options: request.state.withLock(\.settings.cacheOptions)
                )
            } == "body 1")
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "of Bob cached")
    }

    @Test func `S43: useCacheIfLoadFails falls back to the cache after a connection failure only`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .useCacheIfLoadFails) == "body 1")
        rig.isDown.update { $0 = true }
        #expect(try await rig.get(session, .useCacheIfLoadFails) == "body 1 cached")
        await #expect(throws: SDMError.self) { try await rig.get(session, .reloadIfDifferent) }
        let other = SDMHttpRequest(url: URL(string: "http://example.com/other"), session: session)
        other.downloadCache = session.downloadCache
        other.cachePolicy = .useCacheIfLoadFails
        await #expect(throws: SDMError.self) { try await other.response() }
        #expect(other.error?.code == .connectionFailure)
    }

    @Test func `S43: other methods bypass the cache`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 1")
        #expect(try await rig.get(session, .onlyLoadIfNotCached) { $0.setRequestMethod("POST") } == "body 2")
        #expect(try await rig.get(session, .onlyLoadIfNotCached) { $0.setRequestMethod("PUT") } == "body 3")
    }

    @Test(arguments: [SDMCacheStoragePolicy.session, .permanent])
    func `S43: a successful write removes the cached response of its URL, also without a cache of its own`(
        storage: SDMCacheStoragePolicy
    ) async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .onlyLoadIfNotCached, storage) == "body 1")
        for method in ["HEAD", "DELETE"] {
            let request = SDMHttpRequest(url: URL(string: "http://EXAMPLE.com:80/data"), session: session)
            request.requestMethod = method
            try await request.response()
            let isGone = method == "DELETE"
            let expected = isGone ? "body 4" : "body 1 cached"
            #expect(try await rig.get(session, .onlyLoadIfNotCached, storage) == expected)
        }
        #expect(session.downloadCache.lastError == nil)
    }

    @Test func `S43: a 304 that forbids storing removes the cached response`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1")
        rig.fields.update { $0["Cache-Control"] = "no-store" }
        #expect(try await rig.get(session, .reloadIfDifferent) == "body 1 cached")
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 3")
    }

    @Test(arguments: [DigestQuality.auth, .authInt])
    func `S43: a 304 of a server that does not know the password fails`(quality: DigestQuality) async throws {
        let folder = try TemporaryFolder()
        let transport = ScriptedTransport { request in
            guard request.fields[.authorization]?.hasPrefix("Digest ") == true else {
                let challenge = #"Digest realm="r", nonce="n", qop="\#(quality.rawValue)""#
                return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": challenge]))
            }
            guard request.fields[.ifNoneMatch] == nil else {
                let proof = #"rspauth="0123", qop=\#(quality.rawValue)"#
                return request.response(.notModified, fields: try HTTPFields(["Authentication-Info": proof]))
            }
            return request.response(fields: try HTTPFields(["ETag": "\"1\""]), body: Data("Hello".utf8))
        }
        let session = SDMSession(
            transport: transport, configuration: .init(delivery: .inline),
            downloadCache: SDMDownloadCache(storagePath: folder.url))
        for isFirst in [true, false] {
            let request = SDMHttpRequest(url: URL(string: "http://example.com/"), session: session)
            request.downloadCache = session.downloadCache
            request.username = "ann"
            request.password = "secret"
            let error = await request.ended()
            #expect(isFirst ? error == nil : error?.code == .authentication)
        }
        #expect(transport.requests.last?.fields[.ifNoneMatch] == "\"1\"")
    }

    enum DigestQuality: String { case auth, authInt = "auth-int" }

    @Test func `S43: clearing the session removes its responses and keeps permanent ones`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        _ = try await rig.get(session, .onlyLoadIfNotCached)
        session.clear()
        #expect(try await rig.get(session, .onlyLoadIfNotCached, .permanent) == "body 2")
        session.clear()
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 2 cached")
        #expect(session.downloadCache.lastError == nil)
    }

    @Test func `S43: permanent responses survive the cache, and are removed on demand`() async throws {
        let rig = try Rig()
        _ = try await rig.get(rig.session(rig.cache), .reloadIfDifferent, .permanent)
        let later = rig.session(rig.cache)
        #expect(try await rig.get(later, .reloadIfDifferent, .permanent) == "body 1 cached")
        let url = try URL(httpString: "http://example.com/data")
        #expect(later.downloadCache.cachedResponse(for: url)?.body == Data("body 1".utf8))
        later.downloadCache.removeCachedData(for: url)
        #expect(later.downloadCache.cachedResponse(for: url) == nil)
        _ = try await rig.get(later, .reloadIfDifferent, .permanent)
        later.downloadCache.clearCachedResponses(for: .permanent)
        #expect(later.downloadCache.cachedResponse(for: url) == nil && later.downloadCache.lastError == nil)
    }

    @Test func `a response in one storage replaces that in the other`() async throws {
        let rig = try Rig()
        let session = rig.session(rig.cache)
        _ = try await rig.get(session, .reloadIfDifferent, .permanent)
        rig.fields.update { $0["ETag"] = "\"2\"" }
        #expect(try await rig.get(session, .reloadIfDifferent, .session) == "body 2")
        session.downloadCache.clearCachedResponses(for: .session)
        #expect(try await rig.get(session, .onlyLoadIfNotCached) == "body 3")
    }

    @Test func `a damaged file counts as none, and an unwritable folder fails no request`() async throws {
        let rig = try Rig()
        let cache = rig.cache
        let session = rig.session(cache)
        _ = try await rig.get(session, .reloadIfDifferent, .permanent)
        let names = try FileManager.default.contentsOfDirectory(atPath: cache.storagePath.path)
        let name = try #require(names.first)
        try Data("{}\nx".utf8).write(to: cache.storagePath.appending(path: name))
        #expect(try await rig.get(session, .onlyLoadIfNotCached, .permanent) == "body 2")

        let file = rig.folder.url.appending(path: "file")
        try Data().write(to: file)
        let blocked = SDMDownloadCache(storagePath: file.appending(path: "cache"))
        #expect(try await rig.get(rig.session(blocked), .reloadIfDifferent, .permanent) == "body 3")
        #expect(blocked.lastError != nil)
    }

    @Test func `Vary separates variants, and cookies and tokens are not kept`() async throws {
        let rig = try Rig()
        rig.fields.update { $0 = ["Vary": "Accept-Language", "Set-Cookie": "a=1", "X-CSRF-Token": "t", "X-Kept": "1"] }
        let session = rig.session(rig.cache)
        #expect(
            try await rig.get(session, .onlyLoadIfNotCached) { $0.addRequestHeader("Accept-Language", value: "de") }
                == "body 1")
        #expect(
            try await rig.get(session, .onlyLoadIfNotCached) { $0.addRequestHeader("Accept-Language", value: "fr") }
                == "body 2")
        #expect(
            try await rig.get(session, .onlyLoadIfNotCached) { $0.addRequestHeader("Accept-Language", value: "fr") }
                == "body 2 cached")
        let fields = session.downloadCache.cachedResponse(for: try URL(httpString: "http://example.com/data"))?.fields
        #expect(fields?["X-Kept"] == "1" && fields?[.setCookie] == nil && fields?["X-CSRF-Token"] == nil)
    }

    @Test func `S43: over a socket, a 304 delivers the cached body with status 200`() async throws {
        let folder = try TemporaryFolder()
        let service = ClosureService { request in
            let fields = try HTTPFields(["ETag": "\"1\"", "Content-Type": "text/plain; charset=utf-8"])
            let isSame = request.fields["If-None-Match"] == "\"1\""
            return request.response(isSame ? .notModified : .ok, fields: fields, body: Data("Hello".utf8))
        }
        try await LoopbackServer.serving(service) { server in
            let session = SDMSession(
                transport: TestTransport.withoutDeadlines, configuration: .init(delivery: .inline),
                downloadCache: SDMDownloadCache(storagePath: folder.url))
            for isCached in [false, true] {
                let request = SDMHttpRequest(url: try server.url(of: "/"), session: session)
                request.downloadCache = session.downloadCache
                try await request.response()
                #expect(request.responseStatusCode == 200 && request.responseString == "Hello")
                #expect(request.didUseCachedResponse == isCached)
            }
            #expect(server.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\""])
        }
    }
}
