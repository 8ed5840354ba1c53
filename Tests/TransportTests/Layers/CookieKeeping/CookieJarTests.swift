import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CookieJarTests {
    private func head(_ url: String, _ cookies: String...) throws -> HTTPResponseHead {
        HTTPResponseHead(
            status: .ok, fields: try HTTPFields(cookies.map { ("Set-Cookie", $0) }), url: try URL(httpString: url))
    }

    private func pairs(_ cookies: [Cookie]) -> [String] { cookies.map { "\($0.name)=\($0.value)" } }

    @Test func `stores several cookies of one response`() throws {
        let jar = CookieJar(now: { Date(timeIntervalSince1970: 0) })
        jar.receive(try head("http://h/", "a=1; Expires=Fri, 02 Jan 1970 00:00:00 GMT; Path=/", "b=2; HttpOnly"))
        #expect(pairs(jar.cookies) == ["a=1", "b=2"] && jar.cookies.map(\.isHTTPOnly) == [false, true])
        #expect(jar.cookies[0].expires == Date(timeIntervalSince1970: 86_400))
    }

    @Test(arguments: [["name=Joe, session=evil"], ["name=Joe, session=evil; Path=/", "b=2"]])
    func `a field is one cookie despite commas`(values: [String]) throws {
        let jar = CookieJar()
        let head = HTTPResponseHead(
            status: .ok, fields: try HTTPFields(values.map { ("Set-Cookie", $0) }),
            url: try URL(httpString: "http://h/"))
        jar.receive(head)
        #expect(pairs(jar.cookies).first == "name=Joe, session=evil" && jar.cookies.count == values.count)
        #expect(pairs(jar.cookies(in: head)) == pairs(jar.cookies))
    }

    @Test func `stores a hundred cookies of one response`() throws {
        let jar = CookieJar(limits: CookieJar.Limits(perDomain: 1000))
        let fields = try HTTPFields((0..<300).map { ("Set-Cookie", "c\($0)=") })
        jar.receive(HTTPResponseHead(status: .ok, fields: fields, url: try URL(httpString: "http://h/")))
        #expect(jar.cookies.map(\.name) == (0..<100).map { "c\($0)" })
    }

    @Test func `stores the cookies of redirects`() throws {
        let jar = CookieJar()
        var last = try head("http://i/", "a=last")
        last.redirects = [try head("http://h/", "a=first"), try head("http://i/", "a=second")]
        jar.receive(last)
        #expect(pairs(jar.cookies) == ["a=first", "a=last"])
    }

    @Test func `parses cookies without storing them`() throws {
        let jar = CookieJar()
        let cookies = jar.cookies(in: try head("http://h/x/y", "a=1", "b=; Max-Age=0", "c=3; Domain=i", "d=4; Secure"))
        #expect(pairs(cookies) == ["a=1", "b="] && cookies[0].path == "/x")
        #expect(jar.cookies.isEmpty)
    }

    @Test func `two jars share nothing`() throws {
        let (jar, other) = (CookieJar(), CookieJar())
        jar.receive(try head("http://h/", "a=1"))
        #expect(jar.cookies.count == 1 && other.cookies.isEmpty)
    }

    @Test func `uses the injected time`() throws {
        let time = Mutex(Date(timeIntervalSince1970: 0))
        let jar = CookieJar(now: { time.withLock(\.self) })
        jar.receive(try head("http://h/", "a=1; Max-Age=10"))
        let url = try URL(httpString: "http://h/x")
        #expect(jar.cookies(for: url).count == 1)
        time.withLock { $0 += 10 }
        #expect(jar.cookies.isEmpty && jar.cookies(for: url).isEmpty)
    }

    @Test func `sets and removes cookies`() throws {
        let jar = CookieJar()
        let (first, second) = (try Cookie("a", "1", domain: "h"), try Cookie("a", "1", domain: "h", path: "/x"))
        jar.set(first)
        jar.set(second)
        jar.set(try Cookie("b", "1", domain: "h", expires: .distantFuture))
        #expect(jar.cookies.count == 3)
        jar.set(try Cookie("a", "2", domain: "h"))
        #expect(pairs(jar.cookies) == ["a=2", "a=1", "b=1"])
        jar.remove(first)
        #expect(jar.cookies.map(\.path) == ["/x", "/"])
        jar.set(try Cookie("b", "", domain: "h", expires: .distantPast))
        #expect(jar.cookies == [second])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test func `removes session cookies`() throws {
        let jar = CookieJar()
        jar.receive(try head("http://h/", "a=1; Max-Age=10", "b=2"))
        jar.removeSessionCookies()
        #expect(pairs(jar.cookies) == ["a=1"])
    }

    @Test func `restores a snapshot in another jar`() throws {
        let jar = CookieJar()
        jar.receive(try head("http://h/", "a=1; Max-Age=10", "b=2", "c=3; Max-Age=99"))
        #expect(pairs(jar.snapshot().cookies) == ["a=1", "c=3"])
        let data = try JSONEncoder().encode(jar.snapshot(includingSessionCookies: true))
        let other = CookieJar()
        other.set(try Cookie("a", "old", domain: "h"))
        other.set(try Cookie("d", "4", domain: "h"))
        other.restore(try JSONDecoder().decode(CookieJar.Snapshot.self, from: data))
        #expect(pairs(other.cookies) == ["a=1", "d=4", "b=2", "c=3"])
        let late = CookieJar(now: { .now + 50 })
        late.restore(jar.snapshot())
        #expect(pairs(late.cookies) == ["c=3"])
    }

    @Test func `a snapshot keeps the order of use`() async throws {
        let jar = CookieJar()
        jar.receive(try head("http://h/", "a=1; Path=/a", "b=2; Path=/b"))
        let client = CookieKeeping(base: FakeTransport { HTTPResponse(status: .ok, url: $0.url) }, jar: jar)
        _ = try await client.send(HTTPRequest(.get, "http://h/a"))
        let other = CookieJar(limits: CookieJar.Limits(perDomain: 2))
        other.restore(jar.snapshot(includingSessionCookies: true))
        other.set(try Cookie("c", "3", domain: "h"))
        #expect(pairs(other.cookies) == ["a=1", "c=3"])
    }

    @Test func `descriptions contain no values`() throws {
        let jar = CookieJar()
        jar.receive(try head("http://h/", "a=sesame"))
        let snapshot = jar.snapshot(includingSessionCookies: true)
        #expect(jar.description == "a jar of 1 cookies" && snapshot.description == "a snapshot of 1 cookies")
        var dumped = ""
        dump(jar, to: &dumped)
        dump(snapshot, to: &dumped)
        dump(CookieKeeping(base: FakeTransport { HTTPResponse(status: .ok, url: $0.url) }, jar: jar), to: &dumped)
        for text in [dumped, String(reflecting: jar), String(reflecting: snapshot)] {
            #expect(!text.contains("sesame"))
        }
    }

    @Test func `is thread safe`() async throws {
        let jar = CookieJar(limits: CookieJar.Limits(perDomain: 10, total: 40))
        let address = try URL(httpString: "http://h0/")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if let cookie = try? Cookie("a\(number)", "1", domain: "h\(number % 5)") { jar.set(cookie) }
                    _ = jar.cookies(for: address)
                    jar.restore(jar.snapshot())
                }
            }
        }
        #expect(jar.cookies.count == 40)
    }
}
