import Foundation
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

@Suite(.needsSlot) struct CacheUsersTests {
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

    @Test func `a request that other origins led to gets and leaves responses for the same way only`() async throws {
        let transport = origin.transport.caching(in: HTTPCache())
        let (own, news, mail) = try (
            Origin(URL(httpString: "https://api.test/")), Origin(URL(httpString: "https://news.test/")),
            Origin(URL(httpString: "https://mail.test/"))
        )
        func send(_ visited: Set<Origin>, _ user: CachePartition?, _ method: HTTPMethod = .get) async throws -> String {
            let request = try HTTPRequest.test(method) { ($0.visitedOrigins, $0.cachePartition) = (visited, user) }
            return try await transport.send(request).text
        }
        // The origins of the way and the user, with the number of the response.
        let calls: [(Set<Origin>, CachePartition?, String)] = [
            ([], "ann", "1"), ([own, news], "ann", "2"), ([own, mail], "ann", "3"), ([], "ann", "1"),
            ([news, own], "ann", "2"), ([own, news], nil, "4"), ([], nil, "5"), ([own, news], nil, "4"),
        ]
        for (visited, user, number) in calls { #expect(try await send(visited, user) == number) }
        try await transport.cache.removeAll(partition: "ann")
        #expect(try await send([own, news], "ann") == "6")
        #expect(try await send([own, news], nil) == "4")
        // A write removes what others have stored too.
        #expect(try await send([own, news], "ann", .post) == "7")
        #expect(try await send([], nil) == "8")
        #expect(try await send([own, news], nil) == "9")
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

    @Test(arguments: [false, true])
    func `what a call gets after its wait for another call's request is not stored after a sign-out meanwhile`(
        isCancelled: Bool
    ) async throws {
        let gate = Gate()
        let origin = TestOrigin { request, number in
            if number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache())
        let request = try HTTPRequest.test { $0.cachePartition = "ann" }
        let leader = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        let follower = Task { try await transport.send(request) }
        try await transport.cache.waitForFollowers(1)
        try await transport.cache.removeAll(partition: "ann")
        if isCancelled { leader.cancel() } else { gate.open() }
        #expect(try await follower.value.text == "2")
        _ = try? await leader.value
        #expect(transport.cache.statistics.entries == 0)
    }

    /// The tag of the 304: that of the stored response, whose file the removal deletes, or another one.
    @Test(arguments: ["\"a\"", "\"b\""])
    func `the second request of a call is not stored after a sign-out during the first one`(tag: String) async throws {
        let (folder, clock, box) = (try TemporaryFolder(), ManualClock(), Box<HTTPCache>())
        defer { folder.remove() }
        let cache = try await HTTPCache(
            in: try SQLiteStore(.memory), files: folder.url.appending(path: "bodies"), limits: .init(rowBytes: 1),
            clock: clock
        ).opened()
        box.value = cache
        let origin = TestOrigin { request, number in
            if number == 2 { try await box.value?.removeAll(partition: "ann") }
            return .test(
                request, status: number == 2 ? 304 : 200,
                [("Cache-Control", "max-age=10"), ("ETag", number == 2 ? tag : "\"a\"")], "body \(number)")
        }
        let transport = origin.transport.caching(in: cache)
        let request = try HTTPRequest.test { $0.cachePartition = "ann" }
        _ = try await transport.send(request)
        await cache.waitUntilIdle()
        #expect(cache.statistics.entries == 1)
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(request).text == "body 3")
        await cache.waitUntilIdle()
        #expect(cache.statistics.entries == 0)
    }

    @Test func `what is sent since a sign-out has deleted the file of a found response is not stored`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (limits, bodies) = (HTTPCache.Limits(rowBytes: 0), folder.url.appending(path: "bodies"))
        let store = try SQLiteStore(.memory)
        let left = Watched(Int.max)
        // By another process, after the look-up and before the file is read.
        let removal: @Sendable () throws -> Void = {
            try store.transaction {
                var writer = try CacheTableWriter(store, limits: limits)
                _ = try writer.removeAll(partition: nil)
                try writer.finish()
            }
            try FileManager.default.removeItem(at: bodies)
        }
        let storage = TableStorage(store, files: bodies, limits: limits, rules: CacheRules())
        let cache = try await HTTPCache(storage, limits, CacheRules()) {
            let isReading = left.update { left in
                left -= 1
                return left == 0
            }
            if isReading { #expect(throws: Never.self) { try removal() } }
            return 1e9
        }.opened()
        let transport = origin.transport.caching(in: cache)
        #expect(try await transport.send(.test()).text == "1")
        await cache.waitUntilIdle()
        #expect(cache.statistics.entries == 1)
        left.update { $0 = 2 }
        #expect(try await transport.send(.test()).text == "2")
        await cache.waitUntilIdle()
        #expect(left.value <= 0 && cache.statistics.entries == 0)
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
