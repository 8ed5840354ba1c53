import Foundation
import HTTPMessages
import PatchbayTestKit
import VendorServices

/// A client that builds each request by hand.
struct MobileFirstClient {
    typealias Response = (status: Int, fields: HTTPFields, json: JSONValue)

    static let startTime: Int64 = 1_700_000_000_000

    let service: MobileFirstService
    let clock: ManualClock
    var modulus = Data([0xC5]) + Data(repeating: 0x31, count: 255)
    var issuer = "com.example.app$ios"
    /// Added to the clock of assertions, in milliseconds.
    var skew: Int64 = 0

    init(clock: ManualClock = ManualClock(), _ configure: (inout MobileFirstService.Configuration) -> Void = { _ in }) {
        var configuration = MobileFirstService.Configuration()
        configuration.startTime = Date(timeIntervalSince1970: Double(Self.startTime) / 1000)
        configure(&configuration)
        service = MobileFirstService(configuration, clock: clock)
        self.clock = clock
    }

    // MARK: Requests

    func send(
        _ method: HTTPMethod, _ path: String, fields: KeyValuePairs<String, String> = [:], body: HTTPBody = .empty
    ) async throws -> Response {
        let request = try HTTPRequest(method, "http://mfp.test/mfp" + path, fields: HTTPFields(fields), body: body)
        let response = try await service.respond(to: request)
        let json = response.body.isEmpty ? .null : (try? JSONValue(parsing: response.body)) ?? .null
        return (response.status.code, response.fields, json)
    }

    func send(_ method: HTTPMethod, _ path: String, json: JSONValue) async throws -> Response {
        try await send(
            method, path, fields: ["Content-Type": "application/json; charset=utf-8"], body: .text(json.description))
    }

    func send(_ path: String, form: [String: String], authorization: String? = nil) async throws -> Response {
        let type = "application/x-www-form-urlencoded"
        let body = HTTPBody.text(form.map { "\($0)=\($1.encoded)" }.joined(separator: "&"))
        guard let authorization else { return try await send(.post, path, fields: ["Content-Type": type], body: body) }
        return try await send(.post, path, fields: ["Content-Type": type, "Authorization": authorization], body: body)
    }

    func call(
        _ adapter: String, token: String? = nil, method: HTTPMethod = .get
    ) async throws -> Response {
        let path = "/api/adapters/" + adapter
        guard let token else { return try await send(method, path) }
        return try await send(method, path, fields: ["Authorization": "Bearer \(token)"])
    }

    // MARK: Registration

    static let registration: JSONValue = [
        "device": ["id": "d-1", "platform": "ios", "hardware": "x86_64"],
        "application": ["id": "com.example.app", "clientPlatform": "ios", "version": "1.0"],
    ]

    func signed(_ payload: JSONValue, keyID: String? = nil, algorithm: String = "RS256") -> [String] {
        var jwk: [String: JSONValue] = ["kty": "RSA", "n": .string(modulus.base64URL), "e": "AQAB"]
        if let keyID { jwk["kid"] = .string(keyID) }
        let header: JSONValue = ["alg": .string(algorithm), "jwk": .object(jwk)]
        let signature = Data(repeating: 0x11, count: modulus.count)
        return [Data(header.description.utf8), Data(payload.description.utf8), signature].map(\.base64URL)
    }

    func registrationBody(_ payload: JSONValue = MobileFirstClient.registration, keyID: String? = nil) -> JSONValue {
        let parts = signed(payload, keyID: keyID)
        let members = ["header": parts[0], "payload": parts[1], "signature": parts[2]]
        return ["signedRegistrationData": .object(members.mapValues(JSONValue.string))]
    }

    func register() async throws -> String {
        let response = try await send(.post, "/api/registration/v1/self", json: registrationBody())
        return response.fields[.location]?.split(separator: "/").last.map(String.init) ?? ""
    }

    // MARK: Security checks

    func preauthorize(_ id: String, _ scope: String = "", _ credentials: JSONValue = [:]) async throws -> Response {
        try await send(
            .post, "/api/preauth/v1/preauthorize",
            json: ["client_id": .string(id), "scope": .string(scope), "challengeResponse": credentials])
    }

    func logOut(_ id: String, of check: String) async throws -> Response {
        var form = assertion(id)
        form["security_check"] = check
        return try await send("/api/preauth/v1/logout", form: form)
    }

    // MARK: OAuth

    func assertion(
        _ id: String, code: String? = nil, audience: String? = nil, keyID: String? = nil, lifetime: Int64 = 60_000
    ) -> [String: String] {
        let seconds = clock.now.offset.components.seconds
        let issued = Self.startTime + seconds * 1000 + skew
        let payload: JSONValue = [
            "iss": .string(issuer), "sub": .string(id), "iat": .integer(issued), "exp": .integer(issued + lifetime),
            "jti": code.map(JSONValue.string) ?? .null, "aud": audience.map(JSONValue.string) ?? .null,
        ]
        return [
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": signed(payload, keyID: keyID ?? id).joined(separator: "."),
        ]
    }

    func authorize(
        _ id: String, _ scope: String = "", redirectURI: String = "http://mfpredirecturi", type: String = "code",
        state: String? = nil
    ) async throws -> Response {
        let query = "response_type=\(type)&client_id=\(id)&scope=\(scope.encoded)&redirect_uri=\(redirectURI.encoded)"
        let suffix = state.map { "&state=\($0.encoded)" } ?? ""
        return try await send(.get, "/api/az/v1/authorization?\(query)\(suffix)")
    }

    func code(_ id: String, _ scope: String = "") async throws -> String {
        let location = try await authorize(id, scope).fields[.location] ?? ""
        let prefix = "http://mfpredirecturi?code="
        return location.hasPrefix(prefix) ? String(location.dropFirst(prefix.count)) : ""
    }

    func exchange(_ code: String, _ assertion: [String: String]) async throws -> Response {
        let form = ["grant_type": "authorization_code", "code": code, "redirect_uri": "http://mfpredirecturi"]
        return try await send("/api/az/v1/token", form: form.merging(assertion) { _, last in last })
    }

    /// Authorization and token for a scope that needs no credential any more.
    func exchange(_ id: String, _ scope: String = "") async throws -> Response {
        let code = try await code(id, scope)
        return try await exchange(code, assertion(id, code: code, audience: "az/v1/token"))
    }

    func token(_ id: String, _ scope: String = "") async throws -> String {
        try await exchange(id, scope).json["access_token"]?.string ?? ""
    }

    func refresh(_ id: String, _ token: String) async throws -> Response {
        let form = ["grant_type": "refresh_token", "refresh_token": token]
        return try await send(
            "/api/az/v1/token", form: form.merging(assertion(id, audience: "az/v1/token")) { _, last in last })
    }
}

extension String {
    var encoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}

extension Data {
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
