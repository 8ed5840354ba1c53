import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

/// A layer above gets the cookies of every response of the server, though none is stored.
@Suite struct CacheCookieTests {
    private let clock = ManualClock()
    private let jar = CookieJar()

    private var session: String? { jar.cookies.first { $0.name == "sid" }?.value }

    @Test func `a session that each response changes goes on while a stale response may be used`() async throws {
        let origin = TestOrigin { request, number in
            let fields = [
                ("Cache-Control", "max-age=1, stale-while-revalidate=60"), ("ETag", "\"a\""),
                ("Set-Cookie", "sid=\(number)"),
            ]
            return .test(request, status: request.fields.contains(.ifNoneMatch) ? 304 : 200, fields, "body")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock)).keepingCookies(in: jar)
        for number in 1...3 {
            #expect(try await transport.send(.test()).text == "body")
            await transport.base.cache.waitUntilIdle()
            #expect(origin.count == number && session == "\(number)")
            await clock.advance(by: .seconds(2))
        }
        #expect(origin.requests.last?.fields[.cookie] == "sid=2")
    }

    @Test func `the stale response is used for a request with cookies, too, if the server is not reached`() async throws
    {
        let origin = TestOrigin { request, number in
            if number > 1 { throw TransportError(.connectionRefused, "Refused.", request: request) }
            return .test(
                request, [("Cache-Control", "max-age=1, stale-while-revalidate=60"), ("Set-Cookie", "sid=1")], "body")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock)).keepingCookies(in: jar)
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(2))
        #expect(try await transport.send(.test()).text == "body")
        await clock.advance(by: .seconds(60))
        await #expect(throws: TransportError.self) { try await transport.send(.test()) }
    }

    @Test func `an error that a stale response replaces hands on its cookies`() async throws {
        let origin = TestOrigin { request, number in
            .test(
                request, status: number == 1 ? 200 : 503,
                [("Cache-Control", "max-age=1, stale-if-error=60"), ("Set-Cookie", "sid=\(number)")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock)).keepingCookies(in: jar)
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(2))
        #expect(try await transport.send(.test()).text == "1")
        #expect(session == "2")
    }

    @Test func `a part that completes a body hands on its cookies`() async throws {
        let origin = TestOrigin { request, number in
            let range = request.fields[.range] == "bytes=0-2" ? 0..<3 : 3..<10
            let fields = [
                ("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("Set-Cookie", "sid=\(number)"),
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/10"),
            ]
            return .test(request, status: 206, fields, String(Array("0123456789")[range]))
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock)).keepingCookies(in: jar)
        _ = try await transport.send(.test(.get, "/a", ["Range": "bytes=0-2"]))
        let whole = try await transport.send(.test())
        #expect((whole.status, whole.text, session) == (.ok, "0123456789", "2"))
    }

    @Test func `of two responses of one call, the cookies of the second one count`() async throws {
        let origin = TestOrigin { request, number in
            let fields = [("Cache-Control", "max-age=1"), ("ETag", "\"\(number)\""), ("Set-Cookie", "sid=\(number)")]
            return .test(request, status: request.fields.contains(.ifNoneMatch) ? 304 : 200, fields, "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock)).keepingCookies(in: jar)
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(2))
        let response = try await transport.send(.test())
        #expect((response.text, response.fields.values(of: .setCookie)) == ("3", ["sid=2", "sid=3"]))
        #expect(session == "3")
    }
}
