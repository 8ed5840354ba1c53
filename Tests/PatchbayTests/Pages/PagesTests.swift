import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct PagesTests {
    private struct Page: Codable, Sendable {
        var items: [Int]
        var after: String?
    }

    /// Three pages of two numbers, by cursor.
    private let cursors = ScriptedTransport { request in
        let cursor = Query(parsing: request.url.query() ?? "")["cursor"].flatMap { Int($0) } ?? 0
        return request.response(
            json: .object([
                "items": [.number(Double(cursor)), .number(Double(cursor + 1))],
                "after": cursor < 4 ? .string("\(cursor + 2)") : .null,
            ]))
    }

    private func client(_ transport: some StreamingTransport) throws -> APIClient {
        try APIClient("https://example.com", over: transport)
    }

    @Test func `10: items of all pages, by cursor`() async throws {
        var items: [Int] = []
        for try await item in try client(cursors).items("a", in: \Page.items, query: ["q": "x"], next: .cursor(\.after))
        {
            items.append(item)
        }
        #expect(items == Array(0..<6))
        #expect(cursors.requests.map { $0.url.query() } == ["q=x", "q=x&cursor=2", "q=x&cursor=4"])
    }

    @Test(arguments: [
        ("q=red+shoes&e=caf%E9", "q=red+shoes&e=caf%E9&cursor=2"),
        ("cursor=0&q=a%2Bb&cursor=1&&x", "cursor=2&q=a%2Bb&&x"), ("cursor&q=1", "cursor=2&q=1"),
        ("", "cursor=2"),
    ])
    func `10: the other parameters stay as they are written`(query: String, changed: String) throws {
        let request = try HTTPRequest(.get, "https://example.com/a?\(query)").settingQuery("cursor", "2")
        #expect(request.url.absoluteString == "https://example.com/a?\(changed)")
    }

    @Test func `10: items of all pages, by page number`() async throws {
        let transport = ScriptedTransport { request in
            let number = request.queryValue("page").flatMap { Int($0) } ?? 0
            return request.response(json: number < 3 ? .array([.integer(Int64(number))]) : .array([]))
        }
        var items: [Int] = []
        for try await item in try client(transport).items("a", of: Int.self, query: ["q": "x"], next: .pageNumber()) {
            items.append(item)
        }
        #expect(items == [1, 2] && transport.requests.map { $0.queryValue("page") } == ["1", "2", "3"])
        #expect(transport.requests.allSatisfy { $0.queryValue("q") == "x" && $0.queryValue("p") == nil })
        items = []
        let next = NextPage<Page>.pageNumber(parameter: "cursor", first: 0) { $0.after == nil }
        for try await item in try client(cursors).items("a", in: \Page.items, next: next) { items.append(item) }
        #expect(cursors.requests.map { $0.queryValue("cursor") } == ["0", "1", "2", "3", "4"])
        #expect(items == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    }

    @Test func `10: leaving the loop sends nothing more, and a new loop begins again`() async throws {
        let pages = try client(cursors).items("a", in: \Page.items, next: .cursor(\.after))
        for try await item in pages where item == 1 { break }
        #expect(cursors.requests.count == 1)
        for try await item in pages where item == 2 { break }
        #expect(cursors.requests.count == 3)
    }

    @Test func `10: items of all pages, by the Link field`() async throws {
        let transport = ScriptedTransport { request in
            let page = Query(parsing: request.url.query() ?? "")["page"].flatMap { Int($0) } ?? 1
            var response = request.response(json: .array([.number(Double(page))]))
            let next = page < 3 ? "</api/a?page=\(page + 1)>; rel=\"next\", " : ""
            response.head.fields[.link] = next + "</api/a>; rel=first"
            return response
        }
        let client = try APIClient("https://example.com/api", over: transport) {
            ($0.query, $0.fields) = (["v": 1], ["X-Api-Key": "k-1"])
        }
        var items: [Int] = []
        for try await item in client.items("a", of: Int.self, query: ["q": "x"], next: .link) { items.append(item) }
        #expect(
            items == [1, 2, 3] && transport.requests.last?.url.absoluteString == "https://example.com/api/a?page=3")
        #expect(transport.requests.map { $0.queryValue("v") } == ["1", nil, nil])
        #expect(transport.requests.map { $0.fields["X-Api-Key"] } == ["k-1", "k-1", "k-1"])
        let wrong = ScriptedTransport([
            .response(fields: try HTTPFields(["Link": "next"]), body: Data("[1]".utf8))
        ])
        await #expect(throws: HTTPMessageError.self) {
            for try await _ in try self.client(wrong).items("a", of: Int.self, next: .link) {}
        }
    }

    @Test func `10: items of all pages, by offset`() async throws {
        let transport = ScriptedTransport { request in
            let query = Query(parsing: request.url.query() ?? "")
            let (offset, limit) = (Int(query["offset"] ?? "0") ?? 0, Int(query["limit"] ?? "") ?? 0)
            return request.response(
                json: .array((offset..<max(offset, min(7, offset + limit))).map { .number(Double($0)) }))
        }
        var items: [Int] = []
        for try await item in try client(transport).items("a", of: Int.self, next: .offset(limit: 3)) {
            items.append(item)
        }
        #expect(items == Array(0..<7))
        #expect(transport.requests.map { $0.url.query() } == ["limit=3", "limit=3&offset=3", "limit=3&offset=6"])
    }

    @Test(arguments: [1, 2, 5, 40])
    func `10: a loop of pages is an error`(length: Int) async throws {
        let transport = ScriptedTransport { request in
            let cursor = Query(parsing: request.url.query() ?? "")["cursor"].flatMap { Int($0) } ?? 0
            return request.response(json: .object(["items": [], "after": .string("\((cursor + 1) % length)")]))
        }
        let error = await #expect(throws: PageError.self) {
            for try await _ in try client(transport).pages("a", of: Page.self, next: .cursor(\.after)) {}
        }
        // The first page has no cursor, so the server's loop is one request longer.
        #expect(error?.code == .repeatedPage && transport.requests.count == length + 1)
        #expect(error?.message.contains("ignores the parameter `cursor`; pass its name by `.cursor(_") == true)
    }

    @Test func `10: a cursor may be a number`() async throws {
        struct Page: Decodable, Sendable {
            var items: [Int]
            var after: Int?
        }
        let transport = ScriptedTransport { request in
            let after = request.queryValue("after").flatMap { Int64($0) } ?? 0
            return request.response(
                json: .object(["items": [.integer(after)], "after": after < 2 ? .integer(after + 1) : .null]))
        }
        let next = NextPage<Page>.cursor(\.after, parameter: "after")
        var items: [Int] = []
        for try await item in try client(transport).items("a", in: \Page.items, next: next) { items.append(item) }
        #expect(items == [0, 1, 2] && transport.requests.map { $0.queryValue("after") } == [nil, "1", "2"])
    }

    @Test(arguments: [1, 2, 5])
    func `10: no page of a loop by the Link field arrives twice`(length: Int) async throws {
        let transport = ScriptedTransport { request in
            let page = request.queryValue("page").flatMap { Int($0) } ?? 0
            let next = "</a?page=\((page + 1) % length)>; rel=next"
            return request.response(
                fields: try HTTPFields(["Content-Type": "application/json", "Link": next]),
                body: Data("[\(page)]".utf8))
        }
        var items: [Int] = []
        let error = await #expect(throws: PageError.self) {
            let pages = try client(transport).items("a", of: Int.self, query: ["page": 0], next: .link)
            for try await item in pages { items.append(item) }
        }
        #expect(error?.code == .repeatedPage && items == Array(0..<length))
        #expect(error?.message.hasSuffix("the server's pages form a loop.") == true)
    }

    @Test func `10: the number of pages is limited, and the pages before the limit arrive`() async throws {
        var count = 0
        let error = await #expect(throws: PageError.self) {
            let limits = PageLimits(maximumPages: 2)
            for try await _ in try client(cursors).pages("a", of: Page.self, next: .cursor(\.after), limits: limits) {
                count += 1
            }
        }
        #expect(error?.code == .tooManyPages && cursors.requests.count == 2)
        #expect(count == 2)
    }

    @Test func `10: a page of another origin is an error, unless allowed, and gets no credentials`() async throws {
        let transport = ScriptedTransport { $0.response(json: .object(["items": [1], "after": "x"])) }
        let next = NextPage<Page> { _, request in
            guard request.url.host() == "example.com" else { return nil }
            var next = request
            try next.setURL("https://evil.example/a")
            return next
        }
        let error = await #expect(throws: PageError.self) {
            for try await _ in try client(transport).pages("a", of: Page.self, next: next) {}
        }
        #expect(error?.code == .otherOrigin && transport.requests.count == 1)
        let limits = PageLimits(allowsOtherOrigins: true)
        let keyed = try client(transport).with {
            $0.fields = ["Authorization": "Bearer t", "Cookie": "a=b", "X-Api-Key": "k-1", "User-Agent": "Shop/3"]
        }
        for try await _ in keyed.pages("a", of: Page.self, next: next, limits: limits) {}
        let names: [HTTPFieldName] = try ["Authorization", "Cookie", "X-Api-Key", "User-Agent"].map(HTTPFieldName.init)
        let sent = transport.requests.dropFirst().map { request in names.map { request.fields.contains($0) } }
        #expect(sent == [[true, true, true, true], [false, false, false, true]])
    }

    @Test(arguments: [true, false]) func `10: a page's link to the host that sent it is one to any host of the list`(
        isRelative: Bool
    ) async throws {
        let transport = ScriptedTransport { request in
            let page = request.queryValue("page").flatMap { Int($0) } ?? 1
            var response = request.response(json: .array([.number(Double(page))]))
            let host = isRelative ? "" : "https://\(request.url.host() ?? "")"
            if page < 4 { response.head.fields[.link] = "<\(host)/a?page=\(page + 1)>; rel=next" }
            return response
        }
        let hosts = try HostList("https://example.com", "https://example.net", order: .roundRobin)
        let balanced = try client(Stack.standard(over: transport).balancing(over: hosts))
        var items: [Int] = []
        for try await item in balanced.items("a", of: Int.self, next: .link) { items.append(item) }
        #expect(items == [1, 2, 3, 4])
        #expect(transport.requests.map { $0.url.host()?.suffix(3) } == ["com", "net", "com", "net"])
    }

    /// A list at example.com, which redirects each page to b.example. That names a page of example.com.
    private let redirected = ScriptedTransport { request in
        guard request.url.host() == "b.example" else {
            let target = "https://b.example/\(request.url.query() ?? "1")"
            return request.response(.found, fields: try HTTPFields(["Location": target]))
        }
        let isLast = request.url.path() != "/1"
        var response = request.response(json: .object(["items": [1], "after": isLast ? .null : .string("2")]))
        if !isLast { response.head.fields[.link] = "<https://example.com/any?2>; rel=next" }
        return response
    }

    @Test func `10: a page named by an origin to which the one before was redirected is one of another origin`()
        async throws
    {
        let keyed = try client(Stack.standard(over: redirected)).with { $0.fields = ["X-Api-Key": "k-1"] }
        var count = 0
        let error = await #expect(throws: PageError.self) {
            for try await _ in keyed.pages("a", of: Page.self, next: .link) { count += 1 }
        }
        #expect(error?.code == .otherOrigin && count == 1 && redirected.requests.count == 2)
        let limits = PageLimits(allowsOtherOrigins: true)
        for try await _ in keyed.pages("a", of: Page.self, next: .link, limits: limits) {}
        let sent = redirected.requests.dropFirst(2)
        #expect(sent.map { $0.url.host() } == ["example.com", "b.example", "example.com", "b.example"])
        #expect(sent.map { $0.fields["X-Api-Key"] } == ["k-1", nil, nil, nil])
        #expect(sent.map(\.options.hasLeftOrigin) == [false, true, true, true])
    }

    @Test(arguments: [true, false])
    func `10: a page that another origin has named gets the token of a layer only if that origin is allowed`(
        isAllowed: Bool
    ) async throws {
        let origins =
            isAllowed
            ? try AllowedOrigins("https://example.com", "https://b.example") : try AllowedOrigins("https://example.com")
        let stack = Stack.standard(over: redirected)
            .authorizing(with: try BearerAuthorizer(token: "t"), at: origins)
        let limits = PageLimits(allowsOtherOrigins: true)
        for try await _ in try client(stack).pages("a", of: Page.self, next: .link, limits: limits) {}
        let sent = redirected.requests.filter { $0.url.host() == "example.com" }
        #expect(sent.map { $0.fields[.authorization] } == ["Bearer t", isAllowed ? "Bearer t" : nil])
    }

    @Test func `10: the error of a page that another origin has named by redirecting back tells that origin`()
        async throws
    {
        let bouncing = ScriptedTransport { request in
            let target = ["/a": "https://b.example/", "/": "https://example.com/b"][request.url.path()]
            if let target { return request.response(.found, fields: try HTTPFields(["Location": target])) }
            var response = request.response(json: .object(["items": [1], "after": .null]))
            response.head.fields[.link] = "<https://example.com/c>; rel=next"
            return response
        }
        let error = await #expect(throws: PageError.self) {
            let pages = try client(Stack.standard(over: bouncing)).pages("a", of: Page.self, next: .link)
            for try await _ in pages {}
        }
        #expect(error?.code == .otherOrigin && error?.message.contains("https://b.example:443,") == true)
    }

    private static let byCursor: [NextPage<Page>] = [
        .cursor(\.after),
        NextPage { page, request in try page.value.after.map { try request.settingQuery("cursor", $0) } },
    ]

    @Test(arguments: byCursor.indices)
    func `10: a list whose pages are redirected is read to its end by a parameter, also by a rule of the app`(
        index: Int
    ) async throws {
        let keyed = try client(Stack.standard(over: redirected)).with { $0.fields = ["X-Api-Key": "k-1"] }
        for try await _ in keyed.pages("a", of: Page.self, next: Self.byCursor[index]) {}
        #expect(redirected.requests.map { $0.fields["X-Api-Key"] } == ["k-1", nil, "k-1", nil])
        #expect(redirected.requests.last?.url.absoluteString == "https://b.example/cursor=2")
    }

    @Test func `10: a rule's own credentials are sent to the page of another origin, and not to that after it`()
        async throws
    {
        let transport = ScriptedTransport { $0.response(json: .object(["items": [1], "after": "x"])) }
        let next = NextPage<Page> { _, request in
            var next = request
            switch request.url.absoluteString {
            case "https://example.com/a":
                try next.setURL("https://b.example/1")
                next.fields["X-Api-Key"] = "of-b"
                try next.fields.append(.cookie, "cursor=2")
            case "https://b.example/1": try next.setURL("https://b.example/2")
            case "https://b.example/2": try next.setURL("https://example.com/b")
            default: return nil
            }
            return next
        }
        let keyed = try client(transport).with {
            $0.fields = ["Authorization": "Bearer t", "X-Api-Key": "k-1", "Cookie": "a=b"]
        }
        let limits = PageLimits(allowsOtherOrigins: true)
        for try await _ in keyed.pages("a", of: Page.self, next: next, limits: limits) {}
        #expect(transport.requests.map { $0.fields["X-Api-Key"] } == ["k-1", "of-b", "of-b", nil])
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer t", nil, nil, nil])
        #expect(transport.requests.map { $0.fields[.cookie] } == ["a=b", "cursor=2", "cursor=2", nil])
        // Also the last one, whose URL the other server has named: no key of a signer, and no token of a layer either.
        #expect(transport.requests.map(\.options.hasLeftOrigin) == [false, true, true, true])
    }

    @Test func `10: pages of the first origin that another one has named get no token and no cookies of layers`()
        async throws
    {
        let links = ["https://b.example/": "https://example.com/b", "https://example.com/b": "/c"]
        let transport = ScriptedTransport { request in
            guard request.url.path() != "/a" else {
                let fields = try HTTPFields(["Location": "https://b.example/", "Set-Cookie": "s=1"])
                return request.response(.found, fields: fields)
            }
            var response = request.response(json: .array([.integer(1)]))
            response.head.fields[.link] = links[request.url.absoluteString].map { "<\($0)>; rel=next" }
            return response
        }
        let stack = try Stack.standard(over: transport).keepingCookies().authorizing(with: .bearer("t"), at: .baseURL)
        let limits = PageLimits(allowsOtherOrigins: true)
        let pages = try client(stack).pages("a", of: [Int].self, next: .link, limits: limits)
        for try await _ in pages {}
        #expect(transport.requests.map { $0.url.path() } == ["/a", "/", "/b", "/c"])
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer t", nil, nil, nil])
        #expect(transport.requests.allSatisfy { !$0.fields.contains(.cookie) })
        // The first page of the next loop, which the app has named, gets both.
        for try await _ in pages { break }
        let again = try #require(transport.requests.dropFirst(4).first)
        #expect((again.fields[.authorization], again.fields[.cookie]) == ("Bearer t", "s=1"))
    }

    @Test func `10: an API key in the query is sent with each page and after a redirect`() async throws {
        let transport = ScriptedTransport { request in
            guard request.queryValue("apikey") == "k-1" else { return request.response(.unauthorized) }
            switch request.queryValue("page") {
            case nil:
                return request.response(
                    fields: try HTTPFields(["Content-Type": "application/json", "Link": "</a?page=2>; rel=next"]),
                    body: Data("[1]".utf8))
            case "2": return request.response(.found, fields: try HTTPFields(["Location": "/b?page=3"]))
            default: return request.response(json: .array([.integer(2)]))
            }
        }
        let stack = try Stack.standard(over: transport)
            .authorizing(with: .apiKey("k-1", in: .query("apikey")), at: .baseURL)
        var items: [Int] = []
        for try await item in try APIClient("https://example.com", over: stack).items("a", of: Int.self, next: .link) {
            items.append(item)
        }
        #expect(items == [1, 2])
    }
}
