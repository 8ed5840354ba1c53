import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

@Suite struct CacheUsersTests {
    private let origin = TestOrigin(["Cache-Control": "max-age=60"])

    @Test func `users do not see each other's responses`() async throws {
        let transport = origin.transport.caching(in: HTTPCache())
        func send(_ user: CachePartition?) async throws -> String {
            try await transport.send(.test { $0.cachePartition = user }).text
        }
        #expect(try await send("ann") == "1")
        #expect(try await send("ben") == "2")
        #expect(try await send(nil) == "3")
        #expect(try await send("ann") == "1")
        try await transport.cache.removeAll(partition: "ann")
        #expect(try await send("ann") == "4")
        #expect(try await send("ben") == "2")
        #expect(try await send(nil) == "3")
    }

    @Test func `a page of another origin gets no response that was loaded for other pages`() async throws {
        let transport = origin.transport.caching(in: HTTPCache())
        func send(_ site: CookieSite?, _ user: CachePartition? = nil) async throws -> String {
            let request = try HTTPRequest.test { ($0.cookieSite, $0.cachePartition) = (site, user) }
            return try await transport.send(request).text
        }
        let (own, news, mail) = try (
            URL(httpString: "https://api.test/page"), URL(httpString: "https://news.test/?a"),
            URL(httpString: "https://mail.test/")
        )
        // Each page and user, with the number of the response that it gets.
        let calls: [(CookieSite?, CachePartition?, String)] = [
            (nil, nil, "1"), (.page(own), nil, "1"), (.navigation(from: own), nil, "1"), (.page(news), nil, "2"),
            (.navigation(from: news), nil, "3"), (.page(mail), nil, "4"), (.page(news), nil, "2"),
            (.page(news), "ann", "5"), (nil, "ann", "6"), (.page(news), "ann", "5"),
        ]
        for (site, user, number) in calls { #expect(try await send(site, user) == number) }
        // The pages of a user are removed with the user.
        try await transport.cache.removeAll(partition: "ann")
        #expect(try await send(.page(news), "ann") == "7")
        #expect(try await send(.page(news)) == "2")
    }

    @Test func `a credential without a user is a user of its own`() async throws {
        let transport = origin.transport.caching(in: HTTPCache())
        func send(_ token: String) async throws -> String {
            try await transport.send(.test(.get, "/a", ["Authorization": "Bearer \(token)"])).text
        }
        #expect(try await send("one") == "1")
        #expect(try await send("two") == "2")
        #expect(try await send("one") == "1")
        #expect(try await transport.send(.test()).text == "3")
    }

    @Test func `a response on its way at a sign-out is not stored`() async throws {
        let gate = Gate()
        let origin = TestOrigin { request, number in
            if number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache())
        async let early = transport.send(.test { $0.cachePartition = "ann" })
        try await gate.waitForWaiters(1)
        try await transport.cache.removeAll(partition: "ann")
        gate.open()
        _ = try await early
        #expect(try await transport.send(.test { $0.cachePartition = "ann" }).text == "2")
    }

    @Test func `a removal before a revalidation in the background leaves nothing to send or to store`() async throws {
        let (storage, isRemoved, test) = (MemoryStorage(limits: .init()), Box<Bool>(), Self.task)
        // The removal comes when the background task looks for the stored response.
        let cache = HTTPCache(storage, .init(), CacheRules()) {
            if Self.task != test, isRemoved.value == nil {
                isRemoved.value = true
                storage.removeAll(partition: nil)
            }
            return 1e9
        }
        let origin = TestOrigin(["Cache-Control": "max-age=0, stale-while-revalidate=60"])
        let transport = origin.transport.caching(in: cache)
        for _ in 0..<2 { #expect(try await transport.send(.test { $0.cachePartition = "ann" }).text == "1") }
        await cache.waitUntilIdle()
        #expect(isRemoved.value == true)
        #expect(origin.count == 1 && cache.statistics.entries == 0)
    }

    /// The current task.
    private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    @Test func `a shared cache stores responses to Authorization only if they allow it`() async throws {
        let origin = TestOrigin { request, number in
            let control = request.url.path == "/public" ? "public, max-age=60" : "max-age=60"
            return .test(request, [("Cache-Control", control)], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(rules: CacheRules { $0.isShared = true }))
        for path in ["/private", "/public"] {
            _ = try await transport.send(.test(.get, path, ["Authorization": "Basic YTpi"]))
        }
        #expect(try await transport.send(.test(.get, "/public")).text == "2")
        #expect(try await transport.send(.test(.get, "/private")).text == "3")
    }

    @Test func `secrets are not delivered from the cache`() async throws {
        let origin = TestOrigin([
            "Cache-Control": "max-age=60", "Set-Cookie": "sid=1", "X-CSRF-Token": "t", "Authentication-Info": "x",
            "X-Session-Id": "5", "Surrogate-Key": "public",
        ])
        let transport = origin.transport.caching(in: HTTPCache())
        let first = try await transport.send(.test())
        #expect(first.fields[.setCookie] == "sid=1")
        let second = try await transport.send(.test())
        #expect(second.head.cacheStatus?.isHit == true)
        #expect(second.fields["Surrogate-Key"] == "public")
        for name in ["Set-Cookie", "X-CSRF-Token", "Authentication-Info", "X-Session-Id"] {
            #expect(second.fields[name] == nil)
        }
    }

    @Test func `descriptions have no user`() throws {
        let partition = CachePartition("ann:secret")
        #expect(!"\(partition)".contains("ann"))
        let request = try HTTPRequest.test { $0.cachePartition = partition }
        var text = ""
        dump(request, to: &text)
        #expect(!text.contains("secret"))
    }
}
