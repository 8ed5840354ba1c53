import Foundation
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

/// A response that is known to be outdated is not used any more, and a wrong clock keeps none for good.
@Suite(.needsSlot) struct CacheOutdatedTests {
    enum Storage: CaseIterable {
        case memory, sqlite

        func make(now: @escaping @Sendable () -> Double) throws -> HTTPCache {
            let (limits, rules) = (HTTPCache.Limits(bodyBytes: 100), CacheRules())
            if self == .memory { return HTTPCache(limits: limits, rules: rules, now: now) }
            let storage = TableStorage(try SQLiteStore(.memory), files: nil, limits: limits, rules: rules)
            return HTTPCache(storage, limits, rules, now: now)
        }
    }

    enum Second: CaseIterable { case reloadedNoStore, reloadedGone, large, largeWithLength, largeStream }

    @Test(arguments: Storage.allCases, Second.allCases)
    func `a response that is not stored itself removes the one that it replaces`(storage: Storage, second: Second)
        async throws
    {
        let isReload = second == .reloadedNoStore || second == .reloadedGone
        let large = String(repeating: "2", count: 200)
        let origin = TestOrigin { request, number in
            guard number == 2 else {
                return .test(
                    request, [("Cache-Control", isReload ? "max-age=3600" : "max-age=0"), ("ETag", "\"1\"")], "1")
            }
            switch second {
            case .reloadedNoStore: return .test(request, [("Cache-Control", "no-store")], "2")
            case .reloadedGone: return .test(request, status: 404, [("Cache-Control", "no-store")])
            case .largeWithLength:
                return .test(request, [("Cache-Control", "max-age=60"), ("Content-Length", "200")], large)
            case .large, .largeStream: return .test(request, [("Cache-Control", "max-age=60")], large)
            }
        }
        let cache = try storage.make { 1_000_000 }
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        let request = try HTTPRequest.test { $0.cachePolicy = isReload ? .reload : .standard }
        if second == .largeStream {
            #expect(try await transport.stream(request).body.collect().count == 200)
        } else {
            _ = try await transport.send(request)
        }
        await cache.waitUntilIdle()
        #expect(try await transport.send(.test { $0.cachePolicy = .onlyIfCached }).status == .gatewayTimeout)
        #expect(origin.count == 2)
    }

    @Test(arguments: Storage.allCases, ["", "Accept"])
    func `a response after the clock was set back replaces those from before`(storage: Storage, vary: String)
        async throws
    {
        let now = Box<Double>()
        now.value = 1_000_000
        let origin = TestOrigin { request, number in
            let fields = [("Cache-Control", "max-age=60"), ("ETag", "\"\(number)\"")]
            return .test(request, fields + (number == 1 || vary.isEmpty ? [] : [("Vary", vary)]), "\(number)")
        }
        let cache = try storage.make { now.value ?? 0 }
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        now.value = 900_000
        #expect(try await transport.send(.test()).text == "2")
        await cache.waitUntilIdle()
        now.value = 900_001
        let third = try await transport.send(.test())
        #expect((third.text, third.head.cacheStatus?.isHit) == ("2", true))
        #expect(try await transport.send(.test { $0.cachePolicy = .onlyIfCached }).text == "2")
    }

    @Test func `a shared cache removes a response that HEAD finds to be private`() async throws {
        let clock = ManualClock()
        let origin = TestOrigin { request, _ in
            let control = request.method == .head ? "private, max-age=60" : "public, max-age=1"
            return .test(request, [("Cache-Control", control), ("ETag", "\"1\"")], "body")
        }
        let transport = origin.transport.caching(in: HTTPCache(rules: CacheRules { $0.isShared = true }, clock: clock))
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(2))
        _ = try await transport.send(.test(.head))
        #expect(try await transport.send(.test()).cache == "Patchbay; fwd=uri-miss; ttl=1; stored")
    }

    @Test func `a 304 to the conditions of the request is not one to the validators of the stored response`()
        async throws
    {
        let clock = ManualClock()
        let origin = TestOrigin { request, _ in
            request.fields.contains(.ifNoneMatch)
                ? .test(request, status: 304)
                : .test(request, [("Cache-Control", "max-age=1"), ("ETag", "\"1\"")], "body")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(2))
        let fields: KeyValuePairs = ["Range": "bytes=0-0", "If-Range": "\"9\"", "If-None-Match": "\"9\""]
        #expect(try await transport.send(.test(.get, "/a", fields)).status == .notModified)
        #expect(try await transport.send(.test()).cache.hasPrefix("Patchbay; fwd=stale"))
        #expect(origin.count == 3)
    }
}
