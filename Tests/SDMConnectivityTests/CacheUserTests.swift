import Authentication
import Delegation
import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// A cached response belongs to the user of its request.
@Suite(.needsSlot) struct CacheUserTests {
    /// A server whose data depend on the user: by Basic at `/basic`, by the cookie of a login elsewhere.
    private static func service() -> ScriptedTransport {
        ScriptedTransport { request in
            switch request.url.path() {
            case "/basic":
                let pair = request.fields[.authorization].flatMap { Data(base64Encoded: String($0.dropFirst(6))) }
                let parts = pair.map { String(decoding: $0, as: UTF8.self).split(separator: ":") } ?? []
                guard parts.last == "secret", let user = parts.first else {
                    let challenge = try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#])
                    return request.response(.unauthorized, fields: challenge)
                }
                return request.response(text: "of \(user)")
            case "/login":
                let user = request.url.query() ?? ""
                return request.response(
                    fields: try HTTPFields(["Set-Cookie": "login=\(user); Path=/"]), body: Data("welcome".utf8))
            default:
                return request.response(text: "of \(request.fields[.cookie] ?? "guest")")
            }
        }
    }

    private let folder: TemporaryFolder
    private let session: SDMSession
    private let transport = Self.service()

    init() throws {
        folder = try TemporaryFolder()
        session = SDMSession(
            transport: transport, configuration: .init(delivery: .inline),
            downloadCache: SDMDownloadCache(storagePath: folder.url))
    }

    /// A delegate that supplies a user and a password.
    private func login(_ user: String, _ password: String = "secret") -> LoggingDelegate {
        LoggingDelegate(onChallenge: { request in
            (request.username, request.password) = (user, password)
            request.retryUsingSuppliedCredentials()
        })
    }

    /// Sends a GET; returns the body and whether it came from the cache, or the code of the error.
    private func get(
        _ path: String, _ storage: SDMCacheStoragePolicy = .session, delegate: LoggingDelegate? = nil,
        _ change: (SDMHttpRequest) -> Void = { _ in }
    ) async -> String {
        let request = session.get(URL(string: "http://example.com" + path))
        request.downloadCache = session.downloadCache
        request.cachePolicy = .onlyLoadIfNotCached
        request.cacheStoragePolicy = storage
        request.delegate = delegate
        change(request)
        if let error = await request.ended() { return "error \(error.errorCode)" }
        return (request.responseString ?? "") + (request.didUseCachedResponse ? " cached" : "")
    }

    @Test(arguments: [SDMCacheStoragePolicy.session, .permanent])
    func `S43: with credentials of a delegate and of the session`(storage: SDMCacheStoragePolicy) async throws {
        #expect(await get("/basic", storage, delegate: login("ann")) == "of ann")
        #expect(await get("/basic", storage) == "of ann cached")
        session.credentials.removeAll()
        #expect(await get("/basic", storage) == "error 3")
        #expect(await get("/basic", storage, delegate: login("bob")) == "of bob")
        #expect(await get("/basic", storage) == "of bob cached")
        session.clear()
        #expect(session.downloadCache.cachedResponse(for: try URL(httpString: "http://example.com/basic")) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        #expect(await get("/basic", storage) == "error 3")
    }

    @Test func `S43: a server that asks in this call must accept the password`() async throws {
        func get(_ user: String, _ password: String) async -> String {
            await self.get("/basic", delegate: login(user, password)) { $0.useSessionPersistence = false }
        }
        #expect(await get("ann", "secret") == "of ann")
        let count = transport.requests.count
        #expect(await get("ann", "wrong") == "error 3")
        #expect(transport.requests.count > count)
        #expect(await get("ann", "secret") == "of ann")
    }

    @Test func `S43: the rejected user of the app gets nothing of the one that was accepted`() async throws {
        #expect(
            await get("/basic", delegate: login("bob")) { ($0.username, $0.password) = ("ann", "wrong") } == "of bob")
        session.credentials.removeAll()
        #expect(await get("/basic") { ($0.username, $0.password) = ("ann", "secret") } == "of ann")
    }

    @Test(arguments: [SDMCacheStoragePolicy.session, .permanent])
    func `S43: with the cookie of a login`(storage: SDMCacheStoragePolicy) async throws {
        for user in ["ann", "bob"] {
            // It has the cookie of the next requests, not of its own.
            #expect(await get("/login?\(user)", storage) == "welcome")
            #expect(await get("/data", storage) == "of login=\(user)")
            #expect(await get("/data", storage) == "of login=\(user) cached")
        }
        #expect(await get("/data", storage) { $0.useCookiePersistence = false } == "of guest")
        session.clear()
        #expect(await get("/data", storage) == (storage == .permanent ? "of guest cached" : "of guest"))
    }

    @Test func `S43: with a token or a certificate, and without anything`() async throws {
        let changes: [(SDMHttpRequest) -> Void] = [
            { _ in }, { $0.addRequestHeader("X-Api-Key", value: "one") },
            { $0.addRequestHeader("X-Api-Key", value: "two") },
            { $0.clientCertificateIdentity = .init(pkcs12: Data("certificate".utf8), password: "") },
        ]
        for change in changes {
            for isCached in [false, true] {
                #expect(await get("/data", .session, delegate: nil, change) == "of guest\(isCached ? " cached" : "")")
            }
        }
    }

    @Test func `S43: without a network, a user of a new process gets the own response only`() async throws {
        #expect(await get("/basic", .permanent) { ($0.username, $0.password) = ("ann", "secret") } == "of ann")
        let offline = SDMSession(
            transport: ScriptedTransport([], then: .failure(.connectionRefused)),
            configuration: .init(delivery: .inline), downloadCache: SDMDownloadCache(storagePath: folder.url))
        for (user, expected) in [("ann", true), ("bob", false), (nil, false)] {
            let request = offline.get(URL(string: "http://example.com/basic"))
            request.downloadCache = offline.downloadCache
            request.cachePolicy = .useCacheIfLoadFails
            (request.username, request.password) = (user, "secret")
            #expect(await (request.ended() == nil) == expected)
        }
    }

    @Test func `a cache in the transport of the session keeps users by cookies apart`() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.path() == "/data" else {
                let user = request.url.query() ?? ""
                return request.response(fields: try HTTPFields(["Set-Cookie": "login=\(user); Path=/"]))
            }
            let fields = try HTTPFields(["Cache-Control": "private, max-age=600"])
            return request.response(fields: fields, text: "of \(request.fields[.cookie] ?? "guest")")
        }
        let session = SDMSession.test(transport.caching())
        for user in ["ann", "bob"] {
            #expect(await session.get(URL(string: "http://example.com/login?\(user)")).ended() == nil)
            for _ in 0..<2 {
                let request = session.get(URL(string: "http://example.com/data"))
                #expect(await request.ended() == nil)
                #expect(request.responseString == "of login=\(user)")
            }
            session.clear()
        }
        // The second response of each user came from the cache.
        #expect(transport.requests.map { $0.url.path() } == ["/login", "/data", "/login", "/data"])
    }

    @Test func `a request with Authorization names no other user to the transport`() async throws {
        #expect(await get("/basic") { ($0.username, $0.password) = ("ann", "secret") } == "of ann")
        let sent = try #require(transport.requests.first { $0.fields.contains(.authorization) })
        #expect(sent.options.cachePartition == nil)
    }

    @Test func `a response that was stored during clear() is removed`() async throws {
        let session = session
        let cache = ClearingCache { session.clear() }
        let request = session.get(URL(string: "http://example.com/data"))
        request.downloadCache = cache
        #expect(await request.ended() == nil)
        #expect(cache.removed.value == [try URL(httpString: "http://example.com/data")])
    }
}

/// A cache during whose `store` the session is cleared.
private final class ClearingCache: DownloadCaching {
    let removed = Watched<[URL]>([])
    private let clear: @Sendable () -> Void

    init(clear: @escaping @Sendable () -> Void) { self.clear = clear }

    func decision(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> CacheDecision { .load }
    func confirmed(
        by head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions
    ) -> HTTPResponse? { nil }
    func accepts(_ head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> Bool {
        true
    }
    func store(_ response: HTTPResponse, for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) { clear() }
    func fallback(for request: HTTPMessages.HTTPRequest, options: SDMCacheOptions) -> HTTPResponse? { nil }
    func removeCachedData(for url: URL) { removed.update { $0.append(url) } }
    func clearCachedResponses(for storage: SDMCacheStoragePolicy) {}
}
