import Authentication
import Foundation
import HTTPMessages
import JSON
import PatchbayTestKit
import RequestModel
import SignIn
import Signing
import Synchronization
import SystemLibraries
import Transport

/// An OAuth 2.0 server of `https://login.example.com`, without a socket.
final class LoginServer: Sendable {
    static let issuer = "https://login.example.com"

    struct State {
        var metadata: JSONValue
        /// The forms by path.
        var forms: [(path: String, form: Query)] = []
        /// The query of the last authorization request, also of a pushed one.
        var authorization = Query()
        /// Claims that replace those of the ID token; nil removes one.
        var claims: [String: JSONValue?] = [:]
        /// The seconds that the server's clock is ahead; nil without `Date`.
        var skew: TimeInterval? = 0
        /// Responses of the token endpoint before the tokens.
        var tokenResponses: [JSONValue] = []
        var tokenSize = 10
        /// Members that replace those of the response with the tokens.
        var members: [String: JSONValue] = [:]
        var overrides: [String: HTTPResponse] = [:]
    }

    let state: Mutex<State>
    let tokenGate: Gate

    init(_ members: [String: JSONValue] = [:], tokenGate: Gate = Gate(isOpen: true)) {
        let url = { (path: String) -> JSONValue in .string(Self.issuer + path) }
        let metadata: [String: JSONValue] = [
            "issuer": .string(Self.issuer), "authorization_endpoint": url("/authorize"),
            "token_endpoint": url("/token"),
            "revocation_endpoint": url("/revoke"), "device_authorization_endpoint": url("/device"),
            "authorization_response_iss_parameter_supported": true,
        ]
        state = Mutex(State(metadata: .object(metadata.merging(members) { $1 })))
        self.tokenGate = tokenGate
    }

    func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func forms(_ path: String) -> [Query] { state.withLock { $0.forms }.filter { $0.path == path }.map(\.form) }
    var authorization: Query { state.withLock { $0.authorization } }

    var transport: FakeTransport { FakeTransport { [self] in try await response(to: $0) } }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
        let form = Query(
            parsing: String(decoding: try await request.body.collect(), as: UTF8.self), as: .form)
        if request.method == .post { state.withLock { $0.forms.append((request.url.path, form)) } }
        if request.url.path == "/token" { try await tokenGate.wait() }
        var response = try respond(to: request, form)
        if let skew = state.withLock({ $0.skew }) {
            try response.head.fields.set(.date, to: HTTPDate(Date().addingTimeInterval(skew)).description)
        }
        return response
    }

    private func respond(to request: HTTPRequest, _ form: Query) throws -> HTTPResponse {
        if let response = state.withLock({ $0.overrides[request.url.path] }) { return response }
        switch request.url.path {
        case "/.well-known/openid-configuration":
            return request.response(json: state.withLock { $0.metadata })
        case "/par":
            state.withLock { $0.authorization = form }
            return request.response(.created, json: ["request_uri": "urn:example:1", "expires_in": 60])
        case "/device":
            // The example of RFC 8628, section 3.2.
            return request.response(
                json: [
                    "device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "user_code": "WDJB-MJHT",
                    "verification_uri": "https://example.com/device",
                    "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT",
                    "expires_in": 1800, "interval": 5,
                ])
        case "/token":
            return try tokens(request, form)
        case "/revoke":
            return request.response()
        default:
            return request.response(.notFound)
        }
    }

    private func tokens(_ request: HTTPRequest, _ form: Query) throws -> HTTPResponse {
        if let error = state.withLock({
            $0.tokenResponses.isEmpty ? Optional.none : .some($0.tokenResponses.removeFirst())
        }) {
            return request.response(.badRequest, json: error)
        }
        let (authorization, claims, skew, size) = state.withLock {
            ($0.authorization, $0.claims, $0.skew ?? 0, $0.tokenSize)
        }
        if let verifier = form["code_verifier"] {
            let challenge = Data(try MessageDigest.digest(of: Array(verifier.utf8), .sha256)).base64URLEncodedString()
            guard challenge == authorization["code_challenge"], form["code"] == "c0de",
                form["redirect_uri"] == authorization["redirect_uri"]
            else { return request.response(.badRequest, json: ["error": "invalid_grant"]) }
        }
        var members: [String: JSONValue] = [
            "access_token": .string(String(repeating: "a", count: size)), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "r3fresh",
        ]
        if authorization["scope"]?.contains("openid") ?? false || form["device_code"] != nil {
            let now = Date().addingTimeInterval(skew).timeIntervalSince1970
            var all: [String: JSONValue] = [
                "iss": .string(Self.issuer), "sub": "ann", "aud": "shop", "iat": .number(now),
                "exp": .number(now + 600),
            ]
            all["nonce"] = authorization["nonce"].map { .string($0) }
            for (name, value) in claims { all[name] = value }
            members["id_token"] = .string(try jwt(.object(all)))
        }
        return request.response(json: .object(members.merging(state.withLock(\.members)) { $1 }))
    }

    func jwt(_ claims: JSONValue) throws -> String {
        let header: JSONValue = ["alg": "RS256"]
        return try "\(header.data().base64URLEncodedString()).\(claims.data().base64URLEncodedString()).c2ln"
    }

    /// What the authorization endpoint redirects to, for the URL that the browser opens.
    func redirect(_ page: SignInPage, _ change: (inout Query) -> Void = { _ in }) throws -> URL {
        let query = Query(parsing: page.url.query(percentEncoded: true) ?? "", as: .form)
        if query["request_uri"] == nil { state.withLock { $0.authorization = query } }
        var response: Query = ["code": "c0de", "iss": "\(Self.issuer)"]
        response.append("state", authorization["state"])
        change(&response)
        return try URL(httpString: page.redirectURI + "?" + response.text(as: .form))
    }

    /// A browser that follows the redirect to the listener, by a client of its own.
    func browser(_ change: @escaping @Sendable (inout Query) -> Void = { _ in }) -> ClosureBrowser {
        ClosureBrowser { [self] page in
            _ = try await URLSessionTransport.shared.send(HTTPRequest(.get, redirect(page, change)))
            return nil
        }
    }

    func login(
        _ redirect: OAuthRedirect = .loopback, store: some TokenStore = MemoryTokenStore(),
        settings: SignInSettings = SignInSettings(), clock: some Clock<Duration> = ContinuousClock(),
        serverClock: ServerClock = ServerClock(), client: ClientAuthentication = "shop", dpop: SigningKey? = nil,
        over network: AnyTransport? = nil
    ) throws -> OAuthLogin {
        try OAuthLogin(
            .discover(Self.issuer), client: client, redirect: redirect, store: store,
            over: network ?? AnyTransport(transport),
            settings: settings, clock: clock, serverClock: serverClock, dpop: dpop)
    }
}
