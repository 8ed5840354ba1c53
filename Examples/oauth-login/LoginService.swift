import Patchbay
import PatchbayTestKit
import Synchronization
import SystemLibraries

/// An OAuth 2.0 server with one user, whose browser confirms at once, and an API that needs its tokens.
final class LoginService: HTTPService {
    private struct Grant {
        let challenge: String
        let redirect: String
    }

    private struct State {
        var grants: [String: Grant] = [:]
        var refreshTokens: Set<String> = []
        /// The requests that each access token is still good for.
        var uses: [String: Int] = [:]
        var hasSession = false
        var count = 0

        mutating func next(_ prefix: String) -> String {
            count += 1
            return "\(prefix)-\(count)"
        }
    }

    private let state = Mutex(State())

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        // The issuer is the URL that the client used.
        let issuer = "http://\(request.fields[.host] ?? "127.0.0.1")"
        switch (request.method, request.url.path()) {
        case (.get, "/.well-known/openid-configuration"), (.get, "/.well-known/oauth-authorization-server"):
            return request.response(json: [
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"), "revocation_endpoint": .string(issuer + "/revoke"),
                "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": true,
            ])
        case (.get, "/authorize"):
            let query = Query(parsing: request.url.query(percentEncoded: true) ?? "", as: .form)
            return authorize(request, query, issuer)
        case (.post, "/token"): return try token(request, try await form(of: request))
        case (.post, "/revoke"):
            let form = try await form(of: request)
            state.withLock { state in
                state.refreshTokens.remove(form["token"] ?? "")
                state.uses[form["token"] ?? ""] = nil
            }
            return request.response()
        case (.get, "/orders"): return orders(request)
        default: return request.response(.notFound)
        }
    }

    private func form(of request: HTTPRequest) async throws -> Query {
        Query(parsing: String(decoding: try await request.body.collect(upTo: 10_000), as: UTF8.self), as: .form)
    }

    /// Redirects the browser to the app, with a code.
    private func authorize(_ request: HTTPRequest, _ query: Query, _ issuer: String) -> HTTPResponse {
        guard let redirect = query["redirect_uri"], redirect.hasPrefix("http://127.0.0.1:"),
            let challenge = query["code_challenge"]
        else { return request.response(.badRequest) }
        var result: Query = ["iss": issuer]
        result.append("state", query["state"])
        state.withLock { state in
            if query["prompt"] == "none", !state.hasSession {
                result.append("error", "login_required")
            } else {
                state.hasSession = true
                let code = state.next("code")
                state.grants[code] = Grant(challenge: challenge, redirect: redirect)
                result.append("code", code)
            }
        }
        var response = request.response(.found)
        response.head.fields[.location] = "\(redirect)?\(result.text(as: .form))"
        return response
    }

    private func token(_ request: HTTPRequest, _ form: Query) throws -> HTTPResponse {
        let digest = try MessageDigest.digest(of: Array((form["code_verifier"] ?? "").utf8), .sha256)
        let challenge = Data(digest).base64URLEncodedString()
        let tokens: JSONValue? = state.withLock { state in
            switch form["grant_type"] {
            case "authorization_code":
                // A code is good for one attempt.
                guard let grant = state.grants.removeValue(forKey: form["code"] ?? ""),
                    grant.challenge == challenge, grant.redirect == form["redirect_uri"]
                else { return nil }
            case "refresh_token":
                guard state.refreshTokens.remove(form["refresh_token"] ?? "") != nil else { return nil }
            default: return nil
            }
            let (access, refresh) = (state.next("access"), state.next("refresh"))
            state.uses[access] = 2
            state.refreshTokens.insert(refresh)
            return [
                "access_token": .string(access), "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": .string(refresh), "scope": "orders",
            ]
        }
        guard let tokens else { return request.response(.badRequest, json: ["error": "invalid_grant"]) }
        return request.response(json: tokens)
    }

    private func orders(_ request: HTTPRequest) -> HTTPResponse {
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        let isValid = state.withLock { state in
            guard let uses = state.uses[token], uses > 0 else { return false }
            state.uses[token] = uses - 1
            return true
        }
        guard !isValid else { return request.response(json: ["tea", "nails"]) }
        var response = request.response(.unauthorized)
        response.head.fields["WWW-Authenticate"] = "Bearer error=\"invalid_token\""
        return response
    }
}
