import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite struct TokenEndpointTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func endpoint(
        _ step: ScriptedTransport.Step, client: ClientAuthentication = .publicClient(id: "app")
    ) throws -> (TokenEndpoint, ScriptedTransport) {
        let base = ScriptedTransport([step])
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: client, over: base, clock: ServerClock(date: { [now] in now }))
        return (endpoint, base)
    }

    private func form(_ request: HTTPRequest?) async throws -> [String] {
        let body = try await #require(request).body.collect()
        return String(decoding: body, as: UTF8.self).components(separatedBy: "&")
    }

    @Test func `the form has parameters, scope and client, encoded once`() async throws {
        let (endpoint, base) = try endpoint(.json(["access_token": "t", "token_type": "bearer", "expires_in": 60]))
        let token = try await endpoint.token(
            [("grant_type", "password"), ("password", "a%b &=+ä"), ("empty", "")], scope: "b a")
        #expect(token.value == "t" && token.scope == "a b" && token.expiry == now + 60)
        let request = base.requests.first
        let lines = try await form(request)
        #expect(lines == ["grant_type=password", "password=a%25b+%26%3D%2B%C3%A4", "scope=a+b", "client_id=app"])
        #expect(request?.fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request?.options.skipsAuthorization == true && request?.options.hasSecretBody == true)
        #expect(request?.method == .post && request?.fields[.authorization] == nil)
    }

    @Test(arguments: ["id_token_hint", "login_hint", "login_hint_token", "request", "device_code", "state"])
    func `an error shows no parameter that names the user or has a secret`(name: String) async throws {
        let refusal: JSONValue = ["error": "invalid_request", "error_description": "cannot use h1nt"]
        let (endpoint, _) = try endpoint(.json(refusal, status: .badRequest))
        let error = await #expect(throws: AuthenticationError.self) { try await endpoint.token([(name, "h1nt")]) }
        #expect(error?.oauthErrorDescription == "cannot use <redacted>" && error?.message.contains("h1nt") == false)
    }

    @Test(arguments: [HTTPStatus.found, .seeOther, .temporaryRedirect, .permanentRedirect])
    func `a redirect of the endpoint is a refusal, and is not followed`(status: HTTPStatus) async throws {
        let fields = try HTTPFields(["Location": "https://evil.example.com/token"])
        let base = ScriptedTransport([.response(status, fields: fields)], then: .json(["access_token": "t"]))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(id: "app"), over: base.redirecting())
        let error = await #expect(throws: AuthenticationError.self) { try await endpoint.token([]) }
        #expect(error?.code == .refused && error?.head?.status == status && base.requests.count == 1)
    }

    @Test func `tokens are not taken from a transport that has followed a redirect by itself`() async throws {
        let base = FakeTransport { request in
            var response = request.response(json: ["access_token": "t"])
            response.head.redirects = [HTTPResponseHead(status: .seeOther, url: request.url)]
            return response
        }
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(id: "app"), over: base)
        let error = await #expect(throws: AuthenticationError.self) { try await endpoint.token([]) }
        #expect(error?.code == .invalidTokenResponse && error?.message.contains("redirect") == true)
    }

    @Test func `a client authenticates by Basic, parameters or an assertion`() async throws {
        let clients: [ClientAuthentication] = try [
            .basic(id: "a:b", secret: "c d"), .parameters(id: "app", secret: "s"),
            .assertion(clientID: "app") { "signed" },
        ]
        var seen: [[String]] = []
        for client in clients {
            let (endpoint, base) = try endpoint(.json(["access_token": "t"]), client: client)
            _ = try await endpoint.token([("grant_type", "client_credentials")])
            let field = base.requests.first?.fields[.authorization].map { [$0] } ?? []
            seen.append(try await form(base.requests.first).dropFirst() + field)
        }
        // The credentials are form-encoded before Base64: `a%3Ab:c+d`.
        #expect(seen[0] == ["Basic \(Data("a%3Ab:c+d".utf8).base64EncodedString())"])
        #expect(seen[1] == ["client_id=app", "client_secret=s"])
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        #expect(seen[2] == ["client_id=app", "client_assertion_type=\(type)", "client_assertion=signed"])
    }

    @Test(arguments: [
        ("60", 60.0 as Double?), ("\"60\"", 60), ("0", 0), ("-5", 0), ("1.5", 1.5), ("1e300", 100 * 365 * 86_400),
        ("null", nil), ("\"soon\"", nil), ("[]", nil), ("\"nan\"", nil),
    ])
    func `any expires_in is read without a trap`(text: String, seconds: Double?) async throws {
        let (endpoint, _) = try endpoint(.text("{\"access_token\": \"t\", \"expires_in\": \(text)}"))
        #expect(try await endpoint.token([]).expiry == seconds.map { now + $0 })
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"access_token\": 7}", "{\"access_token\": \"\"}", "<html>",
        "{\"access_token\": \"t\", \"token_type\": \"mac\"}",
    ])
    func `any other response is invalid`(body: String) async throws {
        let (endpoint, _) = try endpoint(.text(body))
        let error = await #expect(throws: AuthenticationError.self) { try await endpoint.token([]) }
        #expect(error?.code == .invalidTokenResponse && error?.head?.status == .ok)
    }

    @Test func `a response that is too long is invalid, as one of the token endpoint`() async throws {
        let (endpoint, _) = try endpoint(.text(String(repeating: "x", count: (1 << 20) + 1)))
        let error = await #expect(throws: AuthenticationError.self) { try await endpoint.token([]) }
        #expect(error?.code == .invalidTokenResponse && error?.message.contains("longer than 1 MiB") == true)
        #expect(error?.failingURL == "https://login.example.com/token")
    }

    @Test(arguments: [HTTPStatus.badRequest, .unauthorized, .ok])
    func `a refusal has OAuth's error without the secrets that were sent`(status: HTTPStatus) async throws {
        let (endpoint, _) = try endpoint(
            .json(
                [
                    "error": "invalid_grant", "error_description": "token r3fresh+ and s3cret\nexpired",
                    "error_uri": "https://login.example.com/help?token=abc&page=2",
                ], status: status), client: .parameters(id: "app", secret: "s3cret"))
        let error = try #require(
            await #expect(throws: AuthenticationError.self) {
                try await endpoint.token([("grant_type", "refresh_token"), ("refresh_token", "r3fresh+")])
            })
        #expect(error.code == .refused && error.oauthError == "invalid_grant" && error.head?.status == status)
        #expect(error.oauthErrorDescription == "token <redacted> and <redacted> expired")
        #expect(error.oauthErrorURI == "https://login.example.com/help?token=<redacted>&page=2")
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", dumped, "\((error as NSError).userInfo)"] {
            #expect(!text.contains("s3cret") && !text.contains("r3fresh") && text.contains("invalid_grant"))
        }
    }

    @Test func `a null error is no refusal`() async throws {
        let (endpoint, _) = try endpoint(.json(["access_token": "t", "error": nil]))
        #expect(try await endpoint.token([]).value == "t")
    }

    @Test func `a refusal does not show a secret that was sent by Basic`() async throws {
        let (endpoint, _) = try endpoint(
            .json(
                ["error": "invalid_client", "error_description": "not p4ss+wörd, p4ss%2Bw%C3%B6rd"],
                status: .unauthorized), client: .basic(id: "app", secret: "p4ss+wörd"))
        let error = await #expect(throws: AuthenticationError.self) { try await endpoint.token([]) }
        #expect(error?.oauthErrorDescription == "not <redacted>, <redacted>")
    }

    @Test func `a time that is wrong by centuries does not set the clock`() {
        let clock = ServerClock(date: { Date(timeIntervalSince1970: 0) })
        clock.synchronize(with: Date(timeIntervalSince1970: 60))
        for seconds in [1e300, -1e300, .infinity, .nan] {
            clock.synchronize(with: Date(timeIntervalSince1970: seconds))
        }
        #expect(clock.skew == 60)
    }

    @Test(arguments: ["http://example.com/token", "http://10.0.0.1/token"])
    func `an endpoint without TLS is refused, except on this machine`(url: String) throws {
        let base = ScriptedTransport([])
        let error = #expect(throws: AuthenticationError.self) {
            try TokenEndpoint(url, client: .publicClient(id: "a"), over: base)
        }
        #expect(error?.code == .insecureEndpoint)
        for host in ["localhost", "127.0.0.1:8080", "[::1]"] {
            _ = try TokenEndpoint("http://\(host)/token", client: .publicClient(id: "a"), over: base)
        }
    }

    /// A server that finds assertions expired, and the times of the assertions that it got.
    private func refusals(
        _ responses: [(status: HTTPStatus, error: String?)], skew: TimeInterval, isSigned: Bool = true
    ) async throws -> (times: [TimeInterval], error: AuthenticationError?) {
        let fields = try HTTPFields(["Date": HTTPDate(now + skew).description])
        let base = ScriptedTransport(
            try responses.map { response in
                let json: JSONValue = response.error.map { ["error": .string($0)] } ?? ["access_token": "t"]
                return .response(response.status, fields: fields, body: try json.data())
            })
        let clock = ServerClock(date: { [now] in now })
        let times = Watched<[TimeInterval]>([])
        let client: ClientAuthentication =
            isSigned
            ? .assertion(clientID: "app") {
                times.update { $0.append(clock.now.timeIntervalSince(now)) }
                return "signed"
            } : .publicClient(id: "app")
        let endpoint = try TokenEndpoint("https://login.example.com/token", client: client, over: base, clock: clock)
        var error: AuthenticationError?
        do { _ = try await endpoint.token([("grant_type", "client_credentials")]) } catch let caught
            as AuthenticationError
        {
            error = caught
        }
        #expect(!isSigned || times.value.count == base.requests.count)
        return (isSigned ? times.value : base.requests.map { _ in 0 }, error)
    }

    @Test(arguments: [HTTPStatus.badRequest, .unauthorized, .forbidden], [-3600.0, 3, 3600])
    func `an assertion that was signed by a wrong clock is signed again at the server's time`(
        status: HTTPStatus, skew: TimeInterval
    ) async throws {
        let (times, error) = try await refusals([(status, "invalid_client"), (.ok, nil)], skew: skew)
        #expect(times == [0, skew] && error == nil)
        let (again, refusal) = try await refusals([(status, "invalid_client"), (status, "other")], skew: skew)
        #expect(again == [0, skew] && refusal?.oauthError == "other")
    }

    @Test(.needsSlot) func `assertions that are refused together are each signed again`() async throws {
        let fields = try HTTPFields(["Date": HTTPDate(now + 600).description])
        let gate = Gate()
        let refusal = ScriptedTransport.Step.response(
            .unauthorized, fields: fields, body: Data(#"{"error":"invalid_client"}"#.utf8))
        let base = ScriptedTransport(
            [.after(gate, refusal), .after(gate, refusal)], then: .json(["access_token": "t"]))
        let clock = ServerClock(date: { [now] in now })
        let times = Watched<[TimeInterval]>([])
        let client = ClientAuthentication.assertion(clientID: "app") {
            times.update { $0.append(clock.now.timeIntervalSince(now)) }
            return "signed"
        }
        let endpoint = try TokenEndpoint("https://login.example.com/token", client: client, over: base, clock: clock)
        async let first = endpoint.token([("grant_type", "client_credentials")], scope: "a")
        async let second = endpoint.token([("grant_type", "client_credentials")], scope: "b")
        try await gate.waitForWaiters(2)
        gate.open()
        #expect(try await [first.value, second.value] == ["t", "t"])
        #expect(times.value == [0, 0, 600, 600])
    }

    @Test(arguments: [
        // A right clock, a client without an assertion, a refused grant, another failure.
        (0.0, true, HTTPStatus.badRequest, "invalid_client"), (1, true, .badRequest, "invalid_client"),
        (3600, false, .badRequest, "invalid_client"), (3600, true, .badRequest, "invalid_grant"),
        (3600, true, .internalServerError, "invalid_client"), (3600, true, .ok, "invalid_client"),
    ])
    func `a refusal that no time explains is not tried again`(
        skew: TimeInterval, isSigned: Bool, status: HTTPStatus, code: String
    ) async throws {
        let (times, error) = try await refusals([(status, code)], skew: skew, isSigned: isSigned)
        #expect(times == [0] && error?.oauthError == code)
    }

    @Test func `a JWT bearer grant is signed again at the server's time`() async throws {
        let fields = try HTTPFields(["Date": HTTPDate(now + 3600).description])
        let base = ScriptedTransport([
            .response(.badRequest, fields: fields, body: Data(#"{"error":"invalid_grant"}"#.utf8)),
            .json(["access_token": "t"]),
        ])
        let clock = ServerClock(date: { [now] in now })
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(id: "app"), over: base, clock: clock)
        let client = OAuthClient(
            endpoint, grant: .jwtBearer { "at-\(Int(clock.now.timeIntervalSince1970))" })
        #expect(try await client.obtain(CredentialNeed(scope: .empty)).credential.value == "t")
        let assertions = try await [form(base.requests[0])[1], form(base.requests[1])[1]]
        #expect(assertions == ["assertion=at-1000000", "assertion=at-1003600"])
    }

    @Test func `the clock follows the server's Date`() async throws {
        let (endpoint, _) = try endpoint(
            .response(
                .ok, fields: try HTTPFields(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]),
                body: Data("{\"access_token\":\"t\",\"expires_in\":60}".utf8)))
        // An expiry is local: a skewed server changes nothing.
        #expect(try await endpoint.token([]).expiry == now + 60)
        #expect(endpoint.clock.now == Date(timeIntervalSince1970: 784_111_777) && endpoint.clock.localNow == now)
    }
}
