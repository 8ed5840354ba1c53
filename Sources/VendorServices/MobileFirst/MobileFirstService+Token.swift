import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension MobileFirstService {
    func token(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.require(.post)
        let form = try await request.form()
        let members: [String: JSONValue]
        switch form["grant_type"] {
        case "authorization_code": members = try exchangeCode(form)
        case "refresh_token": members = try refresh(form)
        case "client_credentials": members = try issueToConfidentialClient(request, form)
        default:
            throw Failure.oauth(
                "unsupported_grant_type",
                "Unsupported grant type; use authorization_code, refresh_token or client_credentials")
        }
        var response = request.response(json: .object(members))
        try response.head.fields.set("Cache-Control", to: "no-store")
        try response.head.fields.set("Pragma", to: "no-cache")
        return response
    }

    private func exchangeCode(_ form: Parameters) throws(Failure) -> [String: JSONValue] {
        guard let code = form["code"] else { throw .oauth("invalid_request", "`code` is missing") }
        let id = try client(assertedBy: form, for: .code(code))
        let now = self.now
        // An authenticated client can use a code once, even if the exchange fails (RFC 6749, section 4.1.2).
        guard let grant = state.withLock({ $0.codes.removeValue(forKey: code) }), grant.expiry > now,
            grant.authorization.clientID == id, grant.redirectURI == form["redirect_uri"]
        else {
            throw .oauth("invalid_grant", "The code is unknown, used, expired, or for another client or redirect URI")
        }
        return issue(grant.authorization, at: now, counting: \.tokenExchanges)
    }

    private func refresh(_ form: Parameters) throws(Failure) -> [String: JSONValue] {
        guard let text = form["refresh_token"] else { throw .oauth("invalid_request", "`refresh_token` is missing") }
        let id = try client(assertedBy: form, for: .refreshToken(text))
        let now = self.now
        let token = try state.withLock { state throws(Failure) in
            guard let token = state.refreshTokens[text], token.expiry > now, token.authorization.clientID == id else {
                throw .oauth("invalid_grant", "The refresh token is unknown, used, expired, or for another client")
            }
            state.refreshTokens[text] = nil
            return token
        }
        return issue(token.authorization, at: now, counting: \.refreshes)
    }

    private func issueToConfidentialClient(
        _ request: HTTPRequest, _ form: Parameters
    ) throws(Failure) -> [String: JSONValue] {
        guard let (id, secret) = request.basicCredentials, configuration.confidentialClients[id] == secret else {
            var failure = Failure.oauth("invalid_client", "Unknown confidential client or wrong secret")
            failure.status = .unauthorized
            failure.challenge = "Basic realm=\"\(configuration.realm ?? "MobileFirst")\""
            throw failure
        }
        let authorization = Authorization(clientID: nil, scope: Scope(form["scope"]), checks: [], username: nil)
        return issue(authorization, at: self.now, counting: \.clientCredentials)
    }

    /// Issues an access token, and a refresh token where they are enabled.
    private func issue(
        _ authorization: Authorization, at now: Duration, counting counter: WritableKeyPath<Counts, [String: Int]>
    ) -> [String: JSONValue] {
        let lifetime = configuration.tokenLifetime.capped
        let value = accessToken(authorization, expiry: milliseconds + lifetime.wholeMilliseconds)
        var members: [String: JSONValue] = [
            "access_token": .string(value), "token_type": "Bearer",
            "expires_in": .integer(lifetime.components.seconds), "scope": .string(authorization.scope.text),
        ]
        var refreshToken: (value: String, lifetime: Duration)?
        if authorization.clientID != nil, let lifetime = configuration.refreshTokenLifetime {
            refreshToken = (configuration.makeID(), lifetime.capped)
        }
        if let refreshToken { members["refresh_token"] = .string(refreshToken.value) }
        let overrides = state.withLock { state in
            state.removeExpired(at: now)
            state.tokens[value] = Token(authorization: authorization, expiry: now + lifetime)
            if let refreshToken {
                state.refreshTokens[refreshToken.value] = Token(
                    authorization: authorization, expiry: now + refreshToken.lifetime)
            }
            state.counts[keyPath: counter][authorization.scope.key, default: 0] += 1
            return state.tokenMembers
        }
        for (name, value) in overrides { members[name] = value }
        return members
    }

    /// An access token in the vendor's form, a JSON Web Signature; here its third part is random, not a signature.
    private func accessToken(_ authorization: Authorization, expiry: Int64) -> String {
        let payload: JSONValue = [
            "iss": "com.ibm.mfp", "aud": "com.ibm.mfp", "sub": .string(orNull: authorization.clientID),
            "scope": .string(authorization.scope.text), "exp": .integer(expiry),
        ]
        let header: JSONValue = ["alg": "RS256", "typ": "JWT"]
        let parts = [header.description, payload.description, configuration.makeID()]
        return parts.map { Data($0.utf8).base64URL }.joined(separator: ".")
    }
}

extension HTTPRequest {
    /// User and password of the `Basic` credential (RFC 7617), if there is exactly one.
    var basicCredentials: (user: String, password: String)? {
        guard let data = credential(of: "Basic").flatMap({ Data(base64Encoded: $0) }) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    /// The credential of a scheme in `Authorization`; nil if there is none or another scheme.
    func credential(of scheme: String) -> String? {
        guard let parts = fields[.authorization]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == scheme.lowercased()
        else { return nil }
        return String(parts[1])
    }
}
