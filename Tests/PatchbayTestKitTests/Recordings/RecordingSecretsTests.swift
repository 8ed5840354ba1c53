import Foundation
import HTTPMessages
import Testing
import Transport

@testable import PatchbayTestKit

/// Behavior 9: no secret is in a recording.
@Suite struct RecordingSecretsTests {
    private func recorded(
        _ request: HTTPRequest, _ response: HTTPResponse, rules: RecordingRules = .standard
    ) async throws -> (file: Result<String, RecordingError>, live: HTTPResponse) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.json")
        let transport = Recording.transport(file, mode: .record, rules: rules, over: FakeTransport { _ in response })
        let live = try await transport.send(request)
        do {
            try transport.save()
            return (.success(try String(contentsOf: file, encoding: .utf8)), live)
        } catch let error as RecordingError {
            #expect(!FileManager.default.fileExists(atPath: file.path))
            return (.failure(error), live)
        }
    }

    private static let url = URL(filePath: "/")

    @Test func `secrets are removed from each place, and the app gets the response as it is`() async throws {
        let request = try HTTPRequest(
            .post, "https://h/Sessions('sesame')?token=sesame&next=https%3A%2F%2Fx%3Fpassword%3Dsesame",
            fields: HTTPFields([
                "Authorization": "Bearer sesame", "Cookie": "a=sesame",
                "Content-Type": "application/x-www-form-urlencoded",
                "X-Api-Key": "sesame", "X-Note": "token=sesame",
            ]), body: .text("grant_type=x&code=sesame&password=sesame"))
        let response = HTTPResponse(
            status: .found,
            fields: try HTTPFields([
                "Set-Cookie": "a=sesame; Path=/", "Location": "/cb?code=sesame#sesame",
                "Content-Type": "application/json",
                "WWW-Authenticate": "Digest nonce=\"x\"",
            ]), body: Data(#"{"access_token":"sesame","code":404,"user":{"pin":1234},"n":"Bearer sesame12345"}"#.utf8),
            url: Self.url)
        let (file, live) = try await recorded(request, response)
        let text = try file.get()
        #expect(!text.contains("sesame") && !text.contains("1234"), "\(text)")
        #expect(
            text.contains(#"\"code\":404"#)
                && live
                    == {
                        var expected = response
                        expected.head.method = .post
                        return expected
                    }()
        )
        // A client that follows the recorded redirect finds the recording of its target.
        #expect(text.contains("/cb?code=<redacted>"))
    }

    @Test(
        arguments: [
            (#"{"access_token":"0123456789abcdef0123456789abcdef"}"#, 0, false),
            (#"{"access_token":"0123456789abcdef0123456789abcdef"}"#, 10, false), (#"{"a":1}"#, 0, true),
        ])
    func `a body without its secrets has a length that fits, and no digest`(
        body: String, missing: Int, hasDigest: Bool
    ) throws {
        let request = try HTTPRequest(.get, "https://h/a")
        let fields = try HTTPFields([
            "Content-Type": "application/json", "Content-Length": "\(body.utf8.count + missing)",
            "Content-Digest": "sha-256=:eA==:",
        ])
        var exchange = Recording.Exchange(request, request.response(fields: fields, body: Data(body.utf8)))
        var secrets = RecordedSecrets(.standard)
        secrets.clean(&exchange)
        #expect((exchange.body == Data(body.utf8)) == hasDigest)
        #expect(exchange.head?.fields[.contentLength] == "\(exchange.body.count + missing)")
        #expect((exchange.head?.fields["Content-Digest"] != nil) == hasDigest)
    }

    @Test func `a document of an OAuth server is recorded as it is`() async throws {
        let body = #"{"token_endpoint":"https://id.example.com/token","token_type":"Bearer"}"#
        let request = try HTTPRequest(.get, "https://id.example.com/token")
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": "application/json"]), body: Data(body.utf8),
            url: request.url)
        var exchange = Recording.Exchange(request, response)
        var secrets = RecordedSecrets(.standard)
        secrets.clean(&exchange)
        try secrets.check([exchange])
        #expect(exchange.body == Data(body.utf8))
    }

    @Test func `a replay needs no secrets: requests with others match`() async throws {
        let request = try HTTPRequest(
            .post, "https://h/login?token=one", fields: HTTPFields(["Content-Type": "application/json"]),
            body: .text(#"{"user":"a","password":"one"}"#))
        var exchange = Recording.Exchange(request, HTTPResponse(status: .ok, url: request.url))
        let rules = RecordingRules { $0.comparesBody = true }
        var secrets = RecordedSecrets(rules)
        secrets.clean(&exchange)
        let other = try HTTPRequest(
            .post, "https://h/login?token=two", fields: HTTPFields(["Content-Type": "application/json"]),
            body: .text(#"{"user":"a","password":"two"}"#))
        #expect(try await Recording([exchange]).transport(rules: rules).send(other).status == .ok)
    }

    @Test func `a URL with a secret in a parameter matches one with another secret`() async throws {
        func request(_ token: String) throws -> HTTPRequest {
            let url = "https://h/in?next=https%3A%2F%2Fa%2Fcb%3Ftoken%3D\(token)"
            return try HTTPRequest(.get, url, fields: HTTPFields(["Referer": url]))
        }
        let (sent, referer) = (try request("sesame"), try HTTPFieldName("Referer"))
        var exchange = Recording.Exchange(sent, HTTPResponse(status: .ok, url: sent.url))
        let rules = RecordingRules { $0.fields = [referer] }
        var secrets = RecordedSecrets(rules)
        secrets.clean(&exchange)
        let text = String(decoding: try RecordingFile.data(of: Recording([exchange])), as: UTF8.self)
        #expect(!text.contains("sesame") && text.contains("Referer: https://h/in?next=<redacted>"), "\(text)")
        #expect(try await Recording([exchange]).transport(rules: rules).send(request("other")).status == .ok)
    }

    @Test func `a replay finds the page of a recorded link, also with a secret in it`() async throws {
        let link = "<https://h/oauth/token?page=2&token=sesame>; rel=\"next\", <https://h/oauth/token>; rel=\"first\""
        let sent = try HTTPRequest(.get, "https://h/oauth/token?page=2&token=sesame")
        var exchange = Recording.Exchange(
            sent, HTTPResponse(status: .ok, fields: try HTTPFields(["Link": link]), url: sent.url))
        var secrets = RecordedSecrets(.standard)
        secrets.clean(&exchange)
        let field = try LinkField(exchange.head?.fields ?? HTTPFields())
        #expect(field["first"]?.target == "https://h/oauth/token" && !field.text.contains("sesame"))
        let next = try HTTPRequest(.get, #require(field["next"]).url(relativeTo: sent.url))
        #expect(try await Recording([exchange]).transport().send(next).status == .ok)
    }

    @Test func `cookies keep their names and attributes, and two of them are two in a replay`() async throws {
        let request = try HTTPRequest(.get, "https://h/", fields: HTTPFields(["Cookie": "c=sesame; d=sesame"]))
        let fields = try HTTPFields([("Set-Cookie", "a=sesame; Path=/; HttpOnly"), ("Set-Cookie", "b=sesame; Path=/b")])
        var exchange = Recording.Exchange(request, HTTPResponse(status: .ok, fields: fields, url: request.url))
        var secrets = RecordedSecrets(.standard)
        secrets.clean(&exchange)
        #expect(exchange.request.fields[.cookie] == "c=<redacted>; d=<redacted>")
        let jar = CookieJar()
        _ = try await Recording([exchange]).transport().keepingCookies(in: jar).send(HTTPRequest(.get, "https://h/"))
        let cookies = jar.cookies.map { "\($0.name)=\($0.value) \($0.path) \($0.isHTTPOnly)" }.sorted()
        #expect(cookies == ["a=<redacted> / true", "b=<redacted> /b false"])
    }

    @Test func `the field that a layer has added as a credential is removed`() throws {
        var request = try HTTPRequest(
            .get, "https://h/orders", fields: HTTPFields(["X-Ticket": "ticket-4711", "X-Plain": "b"]))
        request.options.credentialFields = [try HTTPFieldName("X-Ticket")]
        var exchange = Recording.Exchange(
            request, HTTPResponse(status: .ok, url: request.url))
        var secrets = RecordedSecrets(.standard)
        secrets.clean(&exchange)
        #expect(exchange.request.fields["X-Ticket"] == "<redacted>" && exchange.request.fields["X-Plain"] == "b")
    }

    @Test(arguments: [
        ("text/plain", "correct-horse"), ("application/json", #"{"phrase":"correct-horse"}"#),
        ("application/x-www-form-urlencoded", "phrase=correct-horse&a=1"),
    ])
    func `a body with credentials is not recorded, and matches one with others`(
        type: String, body: String
    ) async throws {
        func login(_ body: String) throws -> HTTPRequest {
            try HTTPRequest(
                .post, "https://h/login", fields: HTTPFields(["Content-Type": type]), body: .text(body),
                options: RequestOptions { $0.hasSecretBody = true })
        }
        let (sent, rules) = (try login(body), RecordingRules { $0.comparesBody = true })
        var exchange = Recording.Exchange(sent, HTTPResponse(status: .ok, url: sent.url))
        var secrets = RecordedSecrets(rules)
        secrets.clean(&exchange)
        #expect(exchange.requestBody == Data("<redacted>".utf8))
        let other = try login(body.replacing("correct", with: "other"))
        #expect(try await Recording([exchange]).transport(rules: rules).send(other).status == .ok)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "grant_type=refresh_token&refresh_token=<redacted>"),
        ("application/json", #"{"user":"ann","password":"<redacted>"}"#),
    ])
    func `a body with credentials matches one of an older file, of which only the secrets are left out`(
        type: String, recorded: String
    ) async throws {
        func login(_ body: String, isSent: Bool = true) throws -> HTTPRequest {
            try HTTPRequest(
                .post, "https://h/login", fields: HTTPFields(["Content-Type": type]), body: .text(body),
                options: RequestOptions { $0.hasSecretBody = isSent })
        }
        let request = try login(recorded, isSent: false)
        let exchange = Recording.Exchange(request, HTTPResponse(status: .ok, url: request.url))
        let replay = Recording([exchange]).transport(rules: RecordingRules { $0.comparesBody = true })
        let other = try login(recorded.replacing("refresh_token&", with: "password&").replacing("ann", with: "bob"))
        await #expect(throws: RecordingError.self) { try await replay.send(other) }
        let sent = try login(recorded.replacing("<redacted>", with: "sesame"))
        #expect(try await replay.send(sent).status == .ok)
    }

    @Test(arguments: [
        "pass%2fword%3f", "{\"n\":\"pass\\/word?\"}", "{\"n\":\"pa\\u0073s\\/word\\u003F\"}", "cGFzcy93b3JkPw==",
        "xx: eHhwYXNzL3dvcmQ_", "\\ud83d\\ude00 open", "{\"n\":\"\\uD83D\\uDE00\\u0020open\"}", "%f0%9F%98%80+open",
        "<a>pass&#47;word&#x3F;</a>", "{\"n\":\"pa\\u0073s%2Fword?\"}",
    ])
    func `a secret word is found in each encoding`(body: String) async throws {
        let rules = RecordingRules { $0.secretWords = ["pass/word?", "\u{1F600} open"] }
        let request = try HTTPRequest(.get, "https://h/")
        let (file, _) = try await recorded(
            request, HTTPResponse(status: .ok, body: Data(body.utf8), url: Self.url), rules: rules)
        #expect(#expect(throws: RecordingError.self) { try file.get() }?.code == .secretFound)
    }

    @Test(arguments: [("", "application/x-ndjson"), ("data: ", "text/event-stream")])
    func `the tokens of a text in lines of JSON are no credentials`(start: String, type: String) async throws {
        let line = #"{"content":" understand","logprobs":[{"token":" understand"}]}"#
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": type]),
            body: Data("\(start)\(line)\n\n\(start)\(line)\n\n".utf8), url: Self.url)
        let (file, _) = try await recorded(HTTPRequest(.get, "https://h/"), response)
        let text = try file.get()
        #expect(text.contains(" understand") && text.contains("<redacted>"), "\(text)")
    }

    @Test(arguments: [
        (
            """
            {"content":"I understand","logprobs":[{"token":" understand"},{"token":" a","token_text":"understand",\
            "top":[{"token":"I understand"}]}]}
            """, "application/json"
        ),
        (#"{"text":"I understand","token":" understand"}"#, "application/x-ndjson; charset=utf-8"),
        (#"{"text":"I understand","token":" understand"}"#, "application/jsonlines"),
    ])
    func `the tokens of a text in lists, and in a single line of JSON, are no credentials`(body: String, type: String)
        async throws
    {
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": type]), body: Data(body.utf8), url: Self.url)
        let (file, _) = try await recorded(HTTPRequest(.get, "https://h/"), response)
        let text = try file.get()
        #expect(text.contains("I understand") && text.contains("<redacted>"), "\(text)")
    }

    @Test(arguments: ["sesame open", "open%20sesame x", "c2VzYW1lLW9wZW4tbm93", "{\"n\":\"sesame-open-now\"}"])
    func `a secret word anywhere makes saving fail, and nothing is written`(body: String) async throws {
        let rules = RecordingRules { $0.secretWords = ["sesame open", "open sesame", "sesame-open-now"] }
        let request = try HTTPRequest(.get, "https://h/")
        let (file, _) = try await recorded(
            request, HTTPResponse(status: .ok, body: Data(body.utf8), url: Self.url), rules: rules)
        let error = #expect(throws: RecordingError.self) { try file.get() }
        #expect(error?.code == .secretFound && error?.exchange == 0 && error?.message.contains("response body") == true)
        #expect(error.map { !"\($0)".contains("open") } == true)
    }

    @Test(arguments: [
        ("https://h/a", "Bearer sesame-12345", #"{"echo":"sesame-12345"}"#),
        ("https://h/a", "Basic dXNlcjpzZXNhbWUtMTIzNDU=", #"{"echo":"sesame-12345"}"#),
        ("https://h/sesame-12345/x", "Bearer sesame-12345", "{}"),
        ("https://h/a?token=sesame-12345", "x", "sesame-12345"),
        ("https://h/a?token=sesame-12345", "x", "c2VzYW1lLTEyMzQ1"),
        ("https://h/a", "x", #"{"token":"sesame-12345","a":"sesame-12345"}"#),
        ("https://h/a", "x", #"[{"access_token":"sesame-12345"},{"a":{"token":7},"b":"sesame-12345"}]"#),
    ])
    func `a credential that a server repeats elsewhere makes saving fail`(url: String, field: String, body: String)
        async throws
    {
        let request = try HTTPRequest(.get, url, fields: HTTPFields(["Authorization": field]))
        let (file, _) = try await recorded(
            request, HTTPResponse(status: .ok, body: Data(body.utf8), url: Self.url))
        let error = #expect(throws: RecordingError.self) { try file.get() }
        #expect(error?.code == .secretFound)
        #expect(error.map { !$0.description.contains("12345") } == true)
    }

    @Test func `an app's change of each exchange comes before the search`() async throws {
        let rules = RecordingRules { rules in
            rules.secretWords = ["Ada Lovelace"]
            rules.edit = { exchange in exchange.chunks = [Data("name removed".utf8)] }
        }
        let request = try HTTPRequest(.get, "https://h/")
        let response = HTTPResponse(status: .ok, body: Data("Ada Lovelace".utf8), url: Self.url)
        let (file, live) = try await recorded(request, response, rules: rules)
        #expect(try file.get().contains("name removed") && live.body == Data("Ada Lovelace".utf8))
    }

    private static func gzip(_ text: String) throws -> Data {
        guard case .bytes(let bytes) = try ContentCoding.gzip.encode(.text(text)).source else { return Data() }
        return bytes
    }

    @Test func `a compressed body is recorded decoded, without its secrets, and matches a compressed one`() async throws
    {
        let fields = try HTTPFields(["Content-Type": "application/json", "Content-Encoding": "gzip"])
        func request(_ password: String) throws -> HTTPRequest {
            try HTTPRequest(
                .post, "https://h/login", fields: fields,
                body: .bytes(Self.gzip(#"{"user":"ann","password":"\#(password)"}"#)))
        }
        let response = HTTPResponse(
            status: .ok, fields: fields, body: try Self.gzip(#"{"access_token":"sesame-99","n":1}"#), url: Self.url)
        let (file, live) = try await recorded(request("hunter22"), response)
        let text = try file.get()
        #expect(text.contains(#"\"user\":\"ann\",\"password\":\"<redacted>\""#), "\(text)")
        #expect(text.contains(#"\"n\":1"#) && !text.contains("sesame") && !text.contains("Content-Encoding"), "\(text)")
        #expect(live.body == response.body)
        let rules = RecordingRules { $0.comparesBody = true }
        var exchange = Recording.Exchange(try request("hunter22"), response)
        var secrets = RecordedSecrets(rules)
        secrets.clean(&exchange)
        let sent = try request("other")
        #expect(
            try ComparableRequest(sent, body: nil, rules)
                == ComparableRequest(exchange.request, body: exchange.requestBody, rules))
    }

    @Test func `a secret of a compressed body that a server repeats elsewhere makes saving fail`() async throws {
        let request = try HTTPRequest(
            .post, "https://h/login", fields: HTTPFields(["Content-Encoding": "gzip"]),
            body: .bytes(Self.gzip(#"{"password":"sesame-12345"}"#)))
        let (file, _) = try await recorded(
            request, HTTPResponse(status: .ok, body: Data("hello sesame-12345".utf8), url: Self.url))
        #expect(#expect(throws: RecordingError.self) { try file.get() }?.code == .secretFound)
    }

    @Test func `a body of a coding that cannot be decoded is not recorded`() async throws {
        let fields = try HTTPFields(["Content-Encoding": "br"])
        let (file, live) = try await recorded(
            HTTPRequest(.post, "https://h/", fields: fields, body: .text("coded request")),
            HTTPResponse(status: .ok, fields: fields, body: Data("coded response".utf8), url: Self.url))
        let text = try file.get()
        #expect(!text.contains("coded re") && text.contains("<redacted>"), "\(text)")
        #expect(live.body == Data("coded response".utf8))
        // Nor is it like another one.
        let rules = RecordingRules { $0.comparesBody = true }
        func request(_ text: String) throws -> HTTPRequest {
            try HTTPRequest(.post, "https://h/", fields: fields, body: .text(text))
        }
        var exchange = Recording.Exchange(
            try request("one"), HTTPResponse(status: .ok, body: Data("{}".utf8), url: Self.url))
        var secrets = RecordedSecrets(rules)
        secrets.clean(&exchange)
        #expect(
            try ComparableRequest(request("two"), body: nil, rules)
                != ComparableRequest(exchange.request, body: exchange.requestBody, rules))
    }

    @Test func `a secret across two chunks is removed`() throws {
        let request = try HTTPRequest(.get, "https://h/")
        var exchange = Recording.Exchange(
            request, HTTPResponseHead(status: .ok, url: Self.url),
            chunks: ["{\"token\":\"ses", "ame\"}", "\n{\"a\":1}"].map { Data($0.utf8) },
            error: TransportError(.connectionLost, "Lost after token=sesame.", request: request))
        var secrets = RecordedSecrets(.standard)
        secrets.clean(&exchange)
        let text = String(decoding: try RecordingFile.data(of: Recording([exchange])), as: UTF8.self)
        #expect(!text.contains("ses\"") && !text.contains("ame\\\"") && !text.contains("sesame"), "\(text)")
        #expect(exchange.body == Data("{\"token\":\"<redacted>\"}\n{\"a\":1}".utf8) && exchange.chunks.count == 3)
    }
}
