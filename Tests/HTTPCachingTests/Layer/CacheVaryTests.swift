import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CacheVaryTests {
    enum Storage: CaseIterable { case memory, sqlite }

    private func cache(_ storage: Storage, limits: HTTPCache.Limits = .init()) async throws -> HTTPCache {
        switch storage {
        case .memory: HTTPCache(limits: limits)
        case .sqlite: try await HTTPCache(in: try SQLiteStore(.memory), limits: limits).opened()
        }
    }

    @Test(arguments: Storage.allCases) func `10,000 variants of a URL`(storage: Storage) async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=86400", "Vary": "Accept-Language, X-Version"])
        let transport = origin.transport.caching(in: try await cache(storage))
        let count = 10_000
        for number in 0..<count {
            _ = try await transport.send(.test(.get, "/a", ["X-Version": "\(number)"]))
        }
        await transport.cache.waitUntilIdle()
        for number in stride(from: 0, to: count, by: 997) {
            let response = try await transport.send(.test(.get, "/a", ["X-Version": "\(number)"]))
            #expect((response.text, response.head.cacheStatus?.isHit) == ("\(number + 1)", true))
        }
        #expect(
            try await transport.send(.test(.get, "/a", ["X-Version": "none"])).cache.hasPrefix(
                "Patchbay; fwd=vary-miss"))
        _ = try await transport.send(.test(.post, body: .text("x")))
        #expect(transport.cache.statistics.entries == 0)
    }

    @Test(arguments: Storage.allCases)
    func `what is stored for other users and contents only is a miss of the URL`(storage: Storage) async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=86400", "Vary": "Accept"])
        let transport = origin.transport.caching(in: try await cache(storage))
        func forward(_ request: HTTPRequest, _ user: CachePartition? = nil) async throws -> CacheStatus.Forward? {
            var request = request
            request.options.cachePartition = user
            let status = try await transport.send(request).head.cacheStatus
            await transport.cache.waitUntilIdle()
            return status?.forward
        }
        #expect(try await forward(.test(), "ann") == .uriMiss)
        #expect(try await forward(.test(), "ben") == .uriMiss)
        #expect(try await forward(.test(.query, body: .text("a"))) == .uriMiss)
        #expect(try await forward(.test(.query, body: .text("b"))) == .uriMiss)
        #expect(try await forward(.test(.get, "/a", ["Accept": "text/b"]), "ann") == .varyMiss)
    }

    @Test(arguments: Storage.allCases) func `another Vary for each response`(storage: Storage) async throws {
        let origin = TestOrigin { request, number in
            .test(request, [("Cache-Control", "max-age=86400"), ("Vary", "X-\(number)")], "\(number)")
        }
        let transport = origin.transport.caching(in: try await cache(storage))
        for number in 1...50 {
            var fields = HTTPFields()
            for name in 1...50 { try fields.append("X-\(name)", "\(number)") }
            var request = try HTTPRequest.test()
            request.fields = fields
            _ = try await transport.send(request)
        }
        await transport.cache.waitUntilIdle()
        // The lists of names are limited, and so are the look-ups.
        #expect(origin.count == 50)
        #expect(transport.cache.statistics.entries <= 51)
    }

    @Test(arguments: Storage.allCases) func `Vary of 1,000 names and of none`(storage: Storage) async throws {
        let names = (0..<1_000).map { "X-\($0)" }.joined(separator: ", ")
        for vary in [names, "*", "X, *", "bad name", "\u{FC}"] {
            let origin = TestOrigin { request, number in
                .test(request, [("Cache-Control", "max-age=86400"), ("Vary", vary)], "\(number)")
            }
            let transport = origin.transport.caching(in: try await cache(storage))
            for number in 1...2 { #expect(try await transport.send(.test()).text == "\(number)", "\(vary.prefix(20))") }
        }
        let transport = TestOrigin(["Cache-Control": "max-age=86400", "Vary": " , "]).transport
            .caching(in: try await cache(storage))
        for _ in 1...2 { #expect(try await transport.send(.test()).text == "1") }
    }

    @Test(arguments: Storage.allCases) func `a 304 updates the variants with its entity tag`(storage: Storage)
        async throws
    {
        let clock = ManualClock()
        let origin = TestOrigin { request, number in
            let fields = [
                ("Cache-Control", "max-age=10"), ("Vary", "Accept"), ("ETag", "\"same\""), ("N", "\(number)"),
            ]
            return request.fields.contains(.ifNoneMatch)
                ? .test(request, status: 304, fields) : .test(request, fields, request.fields[.accept] ?? "")
        }
        let cache =
            storage == .memory
            ? HTTPCache(clock: clock) : try await HTTPCache(in: try SQLiteStore(.memory), clock: clock).opened()
        let transport = origin.transport.caching(in: cache)
        for type in ["text/a", "text/b"] { _ = try await transport.send(.test(.get, "/a", ["Accept": type])) }
        await cache.waitUntilIdle()
        await clock.advance(by: .seconds(20))
        let first = try await transport.send(.test(.get, "/a", ["Accept": "text/a"]))
        #expect(first.cache.contains("fwd-status=304"))
        let second = try await transport.send(.test(.get, "/a", ["Accept": "text/b"]))
        #expect((second.text, second.fields["N"], second.cache) == ("text/b", "3", "Patchbay; hit; ttl=10"))
    }

    @Test func `a variant by a secret field or one of a credential is in the store by its hash only`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "cache.sqlite")
        let store = try SQLiteStore(.file(file.path))
        let origin = TestOrigin(["Cache-Control": "max-age=86400", "Vary": "Cookie, X-Api-Key, X-Partner"])
        let transport = try await origin.transport.caching(in: HTTPCache(in: store).opened())
        let partner = try HTTPFieldName("X-Partner")
        func request(_ secret: String) throws -> HTTPRequest {
            let fields: KeyValuePairs = [
                "Cookie": "sid=\(secret)", "X-Api-Key": "\(secret)key", "X-Partner": "\(secret)partner",
                "Authorization": "Bearer \(secret)bearer",
            ]
            return try .test(.get, "/a?access_token=\(secret)token", fields) { $0.credentialFields = [partner] }
        }
        #expect(try await transport.send(request("geheim1")).text == "1")
        await transport.cache.waitUntilIdle()
        #expect(try await transport.send(request("geheim2")).text == "2")
        #expect(try await transport.send(request("geheim1")).text == "1")
        await transport.cache.waitUntilIdle()
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            let data = try Data(contentsOf: folder.url.appending(path: name))
            #expect(data.range(of: Data("geheim".utf8)) == nil, "\(name)")
        }
    }

    @Test func `a variant by a field of a credential has no key of plain values`() throws {
        let (vary, partner) = (try HTTPFields(["Vary": "X-Partner"]), try HTTPFieldName("X-Partner"))
        func variant(_ secret: Set<HTTPFieldName>) throws -> String? {
            let request = try HTTPRequest.test(.get, "/a", ["X-Partner": "p-1"]) { $0.credentialFields = secret }
            return ResponseRules.variant(of: request, by: vary)
        }
        #expect(try variant([]) == "\nx-partner\n\tp-1")
        #expect(try variant([partner]) == nil)
    }
}
