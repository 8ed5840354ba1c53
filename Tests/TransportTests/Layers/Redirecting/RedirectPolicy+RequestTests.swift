import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct RedirectPolicyRequestTests {
    private func request(
        _ method: HTTPMethod = .get, _ url: String = "https://h/a/b?c", fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        try HTTPRequest(method, url, fields: fields, body: body)
    }

    private func head(_ status: HTTPStatus, _ locations: String...) throws -> HTTPResponseHead {
        let fields = try HTTPFields(locations.map { ("Location", $0) })
        return HTTPResponseHead(status: status, fields: fields, url: try URL(httpString: "https://h/"))
    }

    private func next(
        _ request: HTTPRequest, _ status: HTTPStatus, to target: String = "https://h/next",
        _ policy: RedirectPolicy = .standard
    ) throws -> HTTPRequest {
        let redirect = Redirect(
            request: request, head: try head(status, target), target: try URL(httpString: target))
        return try policy.request(following: redirect, to: redirect.target)
    }

    // MARK: Bodies with credentials

    @Test func `a secret body stays within its origin`() throws {
        var login = try request(.post, body: .text("hush"))
        login.options.hasSecretBody = true
        try #expect(!next(login, .temporaryRedirect).body.isEmpty)
        for status in [HTTPStatus.temporaryRedirect, .permanentRedirect] {
            let error = #expect(throws: HTTPMessageError.self) { try next(login, status, to: "https://i/next") }
            #expect(error?.code == .bodyNotAllowed && error?.message.contains("another origin") == true)
        }
        // A redirect that drops the body sends no credentials.
        try #expect(next(login, .found, to: "https://i/next").body.isEmpty)
        // Other bodies may change their origin.
        try #expect(!next(request(.post, body: .text("x")), .temporaryRedirect, to: "https://i/next").body.isEmpty)
    }

    @Test func `a Unix socket is only for its origin`() throws {
        var local = try request()
        local.options.unixSocketPath = "/tmp/socket"
        local.options.nameOverrides = ["h": "127.0.0.1"]
        try #expect(next(local, .found).options.unixSocketPath == "/tmp/socket")
        for target in ["https://i/next", "https://h:8443/next"] {
            let other = try next(local, .found, to: target)
            #expect(other.options.unixSocketPath == nil && other.options.nameOverrides == local.options.nameOverrides)
        }
    }

    @Test func `trailers are only for the body, and for the origin`() throws {
        var post = try request(.post, body: .text("x"))
        post.options.trailers = RequestTrailers()
        try #expect(next(post, .temporaryRedirect).options.trailers == post.options.trailers)
        try #expect(next(post, .seeOther).options.trailers == nil)
        for target in ["https://i/next", "https://h:8443/next"] {
            try #expect(next(post, .permanentRedirect, to: target).options.trailers == nil)
        }
    }

    // MARK: Targets

    @Test(arguments: [
        ("/x", "https://h/x"), ("x", "https://h/a/x"), ("../x?y", "https://h/x?y"), ("?y", "https://h/a/b?y"),
        ("//i/x", "https://i/x"), ("http://i:8/x", "http://i:8/x"), ("#f", "https://h/a/b?c"),
        ("/x#f?g", "https://h/x"),
        ("/%2F%20ä?ü=[]", "https://h/%2F%20%C3%A4?%C3%BC=%5B%5D"), ("HTTPS://H/./x/../y", "https://h/y"),
        ("/\\i/", "https://h/%5Ci/"), ("https://h/100%", "https://h/100%25"), ("/http://i/", "https://h/http://i/"),
        ("/a b", "https://h/a%20b"), ("a b:c", "https://h/a/a%20b:c"), ("?a b&c", "https://h/a/b?a%20b&c"),
        ("//i/a b?c d#e f", "https://i/a%20b?c%20d"), ("/\"<>^`{|}", "https://h/%22%3C%3E%5E%60%7B%7C%7D"),
        (" /a ", "https://h/a"), ("/x/../a  b%20", "https://h/a%20%20b%20"),
    ])
    func `resolves the location`(location: String, target: String) throws {
        let url = try RedirectPolicy.standard.target(of: head(.found, location), for: request())
        #expect(url?.absoluteString == target)
    }

    @Test(arguments: [
        ("ftp://h/", HTTPMessageError.Code.unsupportedScheme), ("mailto:a@b", .unsupportedScheme),
        ("file:///etc/passwd", .unsupportedScheme), ("javascript:alert(1)", .unsupportedScheme),
        ("https://u@h/", .userInfoInURL), ("https://u:p@h/", .userInfoInURL), ("//u:p@h/", .userInfoInURL),
        ("https://h\\@i/", .userInfoInURL), ("https:x", .invalidURL), ("https://", .invalidURL),
        ("///x", .invalidURL), ("/a\tb", .invalidURL), ("https://h /", .invalidURL), ("//a b/", .invalidURL),
        ("https://h:99999/", .invalidURL), ("https://h:x/", .invalidURL), ("https://[h/", .invalidURL),
    ])
    func `rejects invalid locations`(location: String, code: HTTPMessageError.Code) throws {
        let error = #expect(throws: HTTPMessageError.self) {
            try RedirectPolicy.standard.target(of: head(.found, location), for: request())
        }
        #expect(error?.code == code)
    }

    @Test(arguments: [300, 304, 305, 306, 399, 200, 201, 401])
    func `ignores other statuses`(code: Int) throws {
        let status = try #require(HTTPStatus(code))
        #expect(try RedirectPolicy.standard.target(of: head(status, "/x"), for: request()) == nil)
    }

    @Test func `a policy can follow other 3 xx statuses only`() throws {
        let policy = RedirectPolicy(methods: [try #require(HTTPStatus(300)): .kept, .created: .kept])
        #expect(try policy.target(of: head(#require(HTTPStatus(300)), "/x"), for: request()) != nil)
        #expect(try policy.target(of: head(.created, "/x"), for: request()) == nil)
        #expect(try policy.target(of: head(.found, "/x"), for: request()) == nil)
        #expect(try RedirectPolicy.never.target(of: head(.found, "/x"), for: request()) == nil)
    }

    @Test func `ignores a missing location`() throws {
        #expect(try RedirectPolicy.standard.target(of: head(.found), for: request()) == nil)
        #expect(try RedirectPolicy.standard.target(of: head(.found, ""), for: request()) == nil)
    }

    @Test func `accepts several equal locations`() throws {
        #expect(try RedirectPolicy.standard.target(of: head(.found, "/x", "/x"), for: request()) != nil)
        #expect(throws: HTTPMessageError.self) {
            try RedirectPolicy.standard.target(of: head(.found, "/x", "/y"), for: request())
        }
    }

    @Test func `arbitrary locations do not trap`() throws {
        let pieces = [
            "a", "/", "//", ":", "?", "#", "%", "%4", "..", "@", "[", "]", "ä", "\\", "http:", "https:", "h", ":9", " ",
        ]
        for seed in 0..<3000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let location = (0..<Int.random(in: 1...8, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let request = try request()
            guard let url = try? RedirectPolicy.standard.target(of: head(.found, location), for: request) else {
                continue
            }
            #expect(["http", "https"].contains(url.scheme?.lowercased()), "\(location)")
            #expect(url.user == nil && url.password == nil && url.fragment == nil, "\(location)")
            // The computed origin is the one that the engine connects to.
            #expect(
                url.host(percentEncoded: false)?.lowercased() == Origin(url).host.removingPercentEncoding, "\(location)"
            )
        }
    }

    // MARK: Methods, bodies and fields

    @Test(arguments: [
        (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "PATCH", "PATCH"),
        (301, "DELETE", "DELETE"), (301, "OPTIONS", "OPTIONS"), (302, "GET", "GET"), (302, "POST", "GET"),
        (302, "PUT", "PUT"), (302, "HEAD", "HEAD"), (303, "GET", "GET"), (303, "HEAD", "HEAD"), (303, "POST", "GET"),
        (303, "PUT", "GET"), (303, "PATCH", "GET"), (303, "DELETE", "GET"), (303, "MERGE", "GET"), (307, "GET", "GET"),
        (301, "QUERY", "QUERY"), (302, "QUERY", "QUERY"), (303, "QUERY", "GET"), (308, "QUERY", "QUERY"),
        (307, "POST", "POST"), (307, "PUT", "PUT"), (307, "HEAD", "HEAD"), (308, "POST", "POST"),
        (308, "MERGE", "MERGE"),
    ])
    func `methods and bodies follow the standard`(code: Int, method: String, then: String) async throws {
        let method = try HTTPMethod(method)
        let body = method.allowsBody ? HTTPBody.text("x") : .empty
        let status = try #require(HTTPStatus(code))
        let next = try next(request(method, body: body, fields: ["Content-Type": "a/b", "X-A": "1"]), status)
        #expect(next.method.name == then)
        let keepsBody = next.method == method
        #expect(try await next.body.collect() == (keepsBody && method.allowsBody ? Data("x".utf8) : Data()))
        #expect(next.body.isEmpty != (keepsBody && method.allowsBody))
        #expect(next.fields.contains(.contentType) == keepsBody)
        #expect(next.fields["X-A"] == "1")
        #expect(next.url.absoluteString == "https://h/next")
    }

    private func request(
        _ method: HTTPMethod, body: HTTPBody, fields: KeyValuePairs<String, String>
    ) throws -> HTTPRequest {
        try request(method, fields: HTTPFields(fields), body: body)
    }

    @Test func `drops the fields of a dropped body`() throws {
        let request = try request(
            .post, body: .text("x"),
            fields: [
                "Content-Type": "a/b", "Content-Encoding": "gzip", "content-language": "de", "Content-Location": "/x",
                "Content-MD5": "x", "Digest": "x", "Last-Modified": "x", "X-HTTP-Method": "MERGE", "Accept": "a/b",
                "Accept-Encoding": "gzip", "If-Match": "x", "X-Content": "1",
            ])
        #expect(
            try next(request, .found).fields.map(\.name.rawName) == [
                "Accept", "Accept-Encoding", "If-Match", "X-Content",
            ])
        #expect(try next(request, .temporaryRedirect).fields == request.fields)
    }

    @Test func `rejects a body that cannot be sent again unless it is dropped`() throws {
        let (chunks, continuation) = AsyncStream<Data>.makeStream()
        continuation.finish()
        let request = try request(.post, body: .stream(chunks), fields: [:])
        #expect(try next(request, .seeOther).body.isEmpty)
        let error = #expect(throws: HTTPMessageError.self) { try next(request, .temporaryRedirect) }
        #expect(error?.code == .bodyAlreadyRead)
    }

    @Test func `keeps options`() throws {
        var request = try request()
        request.options.maximumResponseBytes = 7
        #expect(try next(request, .found).options.maximumResponseBytes == 7)
    }

    // MARK: Origins

    private static let credentials: KeyValuePairs<String, String> = [
        "Authorization": "x", "proxy-authorization": "x", "Cookie": "x", "X-Api-Key": "x", "X-Ak-Session-Id": "x",
        "X-CSRFToken": "x", "Sec-WebSocket-Protocol": "chat, x", "X-Partner": "x", "Accept": "a/b",
    ]

    @Test(arguments: [
        "http://h:443/", "https://i/", "https://h:444/", "https://www.h/", "https://h./", "https://%68/",
    ])
    func `drops credentials for another origin`(target: String) throws {
        let request = try request(.get, body: .empty, fields: Self.credentials)
        let policy = RedirectPolicy(allowsDowngrade: true, secretFields: [try HTTPFieldName("x-partner")])
        #expect(try next(request, .found, to: target, policy).fields.map(\.name.rawName) == ["Accept"])
        #expect(try next(request, .temporaryRedirect, to: target, policy).fields.map(\.name.rawName) == ["Accept"])
    }

    @Test func `another origin gets the idempotency key, unless the policy names it`() throws {
        let request = try request(.post, body: .text("x"), fields: ["Idempotency-Key": "7"])
        #expect(try next(request, .temporaryRedirect, to: "https://i/").fields == request.fields)
        let policy = RedirectPolicy(secretFields: [.idempotencyKey])
        #expect(try next(request, .temporaryRedirect, to: "https://i/", policy).fields.isEmpty)
    }

    @Test(arguments: ["https://h/x", "https://H:443/", "HTTPS://h"])
    func `keeps credentials within the origin`(target: String) throws {
        let request = try request(.get, body: .empty, fields: Self.credentials)
        #expect(try next(request, .found, to: target).fields == request.fields)
    }

    @Test func `every policy drops standard credentials`() throws {
        let policy = RedirectPolicy(secrets: Redaction(words: []))
        let request = try request(.get, body: .empty, fields: Self.credentials)
        let names = try next(request, .found, to: "https://i/", policy).fields.map(\.name.rawName)
        #expect(
            names == ["X-Api-Key", "X-Ak-Session-Id", "X-CSRFToken", "Sec-WebSocket-Protocol", "X-Partner", "Accept"])
    }

    @Test func `rejects a downgrade unless allowed`() throws {
        let error = #expect(throws: HTTPMessageError.self) { try next(request(), .found, to: "http://h/") }
        #expect(error?.code == .unsupportedScheme)
        #expect(
            try next(request(), .found, to: "http://h/", RedirectPolicy(allowsDowngrade: true)).url.scheme == "http")
        #expect(try next(request(.get, "http://h/"), .found, to: "http://i/").url.host() == "i")
        #expect(try next(request(.get, "http://h/"), .found, to: "https://h/").url.scheme == "https")
    }

    // MARK: Other rules

    /// The rules of browsers and many clients before 2010: 301, 302 and 303 turn every method into `GET` with few
    /// fields; 308 is unknown.
    private func browser() throws -> RedirectPolicy {
        RedirectPolicy(
            methods: [
                .movedPermanently: .becomesGet, .found: .becomesGet, .seeOther: .becomesGet, .temporaryRedirect: .kept,
            ], limit: 5, keptFields: [.userAgent, .accept])
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "PUT")])
    func `a policy can express the old browser rules`(code: Int, method: String) throws {
        let request = try request(
            .put, body: .text("x"), fields: ["User-Agent": "a", "accept": "a/b", "X-A": "1", "Content-Type": "a/b"])
        let next = try next(request, #require(HTTPStatus(code)), browser())
        #expect(next.method.name == method)
        #expect(next.body.isEmpty == (code != 307))
        #expect(
            next.fields.map(\.name.canonicalName)
                == (code == 307 ? request.fields.map(\.name.canonicalName) : ["user-agent", "accept"]))
        #expect(try browser().target(of: head(.permanentRedirect, "/x"), for: request) == nil)
    }

    @Test func `drops fields when a get stays a get`() throws {
        let request = try request(.get, body: .empty, fields: ["X-A": "1", "Accept": "a/b"])
        #expect(try next(request, .found, browser()).fields.map(\.name.rawName) == ["Accept"])
    }

    private func next(_ request: HTTPRequest, _ status: HTTPStatus, _ policy: RedirectPolicy) throws -> HTTPRequest {
        try next(request, status, to: "https://h/next", policy)
    }

    @Test(arguments: [(301, "POST"), (302, "POST"), (303, "GET"), (307, "POST")])
    func `a policy can express the old standard`(code: Int, method: String) throws {
        let policy = RedirectPolicy(
            methods: [.movedPermanently: .kept, .found: .kept, .seeOther: .becomesGet, .temporaryRedirect: .kept],
            limit: 5)
        let next = try next(request(.post, body: .text("x"), fields: [:]), #require(HTTPStatus(code)), policy)
        #expect(next.method.name == method)
    }
}
