import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import SDMConnectivity

/// What the cache keeps and confirms when requests cross each other, servers err and clocks change.
@Suite(.needsSlot) struct CacheConsistencyTests {
    private let folder: TemporaryFolder
    private let date = Watched(Date(timeIntervalSince1970: 1_300_000_000))

    init() throws { folder = try TemporaryFolder() }

    private func session(_ transport: ScriptedTransport) -> SDMSession {
        SDMSession(
            transport: transport, configuration: .init(delivery: .inline),
            downloadCache: SDMDownloadCache(storagePath: folder.url) { [date] in date.value })
    }

    /// Responses by the number of the request.
    private static func transport(
        _ respond: @escaping @Sendable (HTTPMessages.HTTPRequest, Int) async throws -> HTTPResponse
    ) -> ScriptedTransport {
        let count = Watched(0)
        return ScriptedTransport { request in
            let number = count.update { count in
                count += 1
                return count
            }
            return try await respond(request, number)
        }
    }

    /// Sends a request; returns the body and whether it came from the cache.
    private func send(
        _ session: SDMSession, _ path: String = "/data", _ storage: SDMCacheStoragePolicy = .session,
        _ change: (SDMHttpRequest) -> Void = { _ in }
    ) async throws -> String {
        let request = session.get(URL(string: "http://example.com" + path))
        request.downloadCache = session.downloadCache
        request.cacheStoragePolicy = storage
        change(request)
        let response = try await request.response()
        #expect(response.status == .ok)
        return (request.responseString ?? "") + (request.didUseCachedResponse ? " cached" : "")
    }

    @Test(arguments: [SDMCacheStoragePolicy.session, .permanent])
    func `a response that was requested before a write of its URL is not kept`(storage: SDMCacheStoragePolicy)
        async throws
    {
        let gate = Gate()
        let session = session(
            Self.transport { request, number in
                if number == 1 { try await gate.wait() }
                return request.response(
                    fields: try HTTPFields(["Cache-Control": "max-age=60"]), body: Data("\(number)".utf8))
            })
        async let early = send(session, "/data", storage)
        try await gate.waitForWaiters(1)
        #expect(try await send(session) { $0.requestMethod = "PUT" } == "2")
        gate.open()
        #expect(try await early == "1")
        #expect(try await send(session, "/data", storage) == "3")
        #expect(try await send(session, "/data", storage) == "3 cached")
    }

    @Test func `a 304 does not confirm a response that was cached since its request`() async throws {
        let gate = Gate()
        let transport = Self.transport { request, number in
            if number == 2 {
                try await gate.wait()
                return request.response(.notModified, fields: try HTTPFields(["ETag": "\"1\""]))
            }
            let tag = number == 1 ? "\"1\"" : "\"2\""
            return request.response(fields: try HTTPFields(["ETag": tag]), body: Data("\(number)".utf8))
        }
        let session = session(transport)
        #expect(try await send(session) == "1")
        async let slow = send(session)
        try await gate.waitForWaiters(1)
        #expect(try await send(session) == "3")
        gate.open()
        #expect(try await slow == "4")
        #expect(transport.requests.map { $0.fields[.ifNoneMatch] } == [nil, "\"1\"", "\"1\"", nil])
        let cached = session.downloadCache.cachedResponse(for: try URL(httpString: "http://example.com/data"))
        #expect(cached?.fields[.etag] == "\"2\"" && cached?.body == Data("4".utf8))
    }

    @Test func `a 304 with another entity tag causes one full request`() async throws {
        let transport = Self.transport { request, number in
            let isConditional = request.fields.contains(.ifNoneMatch)
            return request.response(
                isConditional ? .notModified : .ok, fields: try HTTPFields(["ETag": "\"\(number)\""]),
                body: Data((isConditional ? "" : "\(number)").utf8))
        }
        let session = session(transport)
        #expect(try await send(session) == "1")
        #expect(try await send(session) == "3")
        #expect(transport.requests.count == 3)
        let cached = session.downloadCache.cachedResponse(for: try URL(httpString: "http://example.com/data"))
        #expect(cached?.fields[.etag] == "\"3\"" && cached?.body == Data("3".utf8))
    }

    /// A server that confirms all but its first response with some fields.
    private static func confirming(_ first: KeyValuePairs<String, String>, by second: KeyValuePairs<String, String>)
        throws -> ScriptedTransport
    {
        let (first, second) = (try HTTPFields(first), try HTTPFields(second))
        return transport { request, number in
            number == 1
                ? request.response(fields: first, body: Data("1".utf8)) : request.response(.notModified, fields: second)
        }
    }

    @Test(arguments: ["no-cache", "max-age=0"])
    func `a response that must be confirmed stays so when a 304 has only an expiration date`(control: String)
        async throws
    {
        let transport = try Self.confirming(
            ["ETag": "\"1\"", "Cache-Control": control], by: ["Expires": "Mon, 14 Mar 2011 07:06:40 GMT"])
        let session = session(transport)
        #expect(try await send(session) == "1")
        for _ in 0..<2 { #expect(try await send(session) == "1 cached") }
        #expect(transport.requests.count == 3)
    }

    @Test func `a 304 that does not repeat the lifetime makes the response fresh again`() async throws {
        let transport = try Self.confirming(["ETag": "\"1\"", "Cache-Control": "max-age=3600"], by: ["ETag": "\"1\""])
        let session = session(transport)
        #expect(try await send(session) == "1")
        date.update { $0 += 3_601 }
        for _ in 0..<3 { #expect(try await send(session) == "1 cached") }
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [SDMCacheStoragePolicy.session, .permanent])
    func `a response from before the clock was set back is stale`(storage: SDMCacheStoragePolicy) async throws {
        let session = session(
            Self.transport { request, number in
                request.response(fields: try HTTPFields(["Cache-Control": "max-age=60"]), body: Data("\(number)".utf8))
            })
        #expect(try await send(session, "/data", storage) == "1")
        date.update { $0 -= 100_000 }
        #expect(try await send(session, "/data", storage) == "2")
        #expect(try await send(session, "/data", storage) == "2 cached")
    }

    @Test func `a response whose URL has a token is in no file, and ends with the session`() async throws {
        let session = session(Self.transport { request, number in request.response(text: "\(number)") })
        func get(_ path: String) async throws -> String {
            try await send(session, path, .permanent) { $0.cachePolicy = .onlyLoadIfNotCached }
        }
        let path = "/data?access_token=hush"
        #expect(try await get("/data?page=1") == "1")
        #expect(try await get(path) == "2")
        #expect(try await get(path) == "2 cached")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            #expect(try Data(contentsOf: folder.url.appending(path: name)).range(of: Data("hush".utf8)) == nil)
        }
        session.clear()
        #expect(try await get(path) == "3")
        #expect(try await get("/data?page=1") == "1 cached")
    }

    @Test(arguments: ["/TrainingSessions(17)", "/GetByKey(id=5)?key1=2", "/Sessions('5f2c')"])
    func `a response by a number is permanent, and one by a secret key is not`(path: String) async throws {
        let session = session(Self.transport { request, number in request.response(text: "\(number)") })
        func get() async throws -> String {
            try await send(session, path, .permanent) { $0.cachePolicy = .onlyLoadIfNotCached }
        }
        #expect(try await get() == "1")
        session.clear()
        #expect(try await get() == (path.contains("'") ? "2" : "1 cached"))
    }
}
