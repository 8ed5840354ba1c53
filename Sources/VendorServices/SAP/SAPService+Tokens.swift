import HTTPMessages
import PatchbayTestKit
import Synchronization

/// The guard against cross-site request forgery: a token that is valid with its cookie.
extension SAPService {
    private static let cookie = "sap-XSRF_GWD_100"

    /// The 403 for a write without a valid token; nil if the request may pass.
    func tokenRejection(of request: HTTPRequest) throws -> HTTPResponse? {
        guard configuration.requiresTokens, !request.method.isSafe else { return nil }
        if configuration.acceptsRequestedWith, request.fields["X-Requested-With"] == "XMLHttpRequest" { return nil }
        let token = request.fields["X-CSRF-Token"]
        guard token == nil || validToken(of: request)?.token != token else { return nil }
        state.withLock { $0.counts.tokenRejections += 1 }
        var response = request.response(.forbidden, text: "CSRF token validation failed")
        try response.head.fields.set("X-CSRF-Token", to: "Required")
        return response
    }

    /// Adds a token to the response to a read with `X-CSRF-Token: Fetch`, and its cookie unless the request has it.
    func addingToken(to response: HTTPResponse, for request: HTTPRequest) throws -> HTTPResponse {
        guard request.method.isSafe, request.fields["X-CSRF-Token"]?.lowercased() == "fetch" else { return response }
        var response = response
        if let known = validToken(of: request) {
            try response.head.fields.set("X-CSRF-Token", to: known.token)
            return response
        }
        let cookie = configuration.makeID(), token = configuration.makeID() + "=="
        state.withLock { state in
            state.tokens[cookie] = token
            state.counts.tokens += 1
        }
        try response.head.fields.set("X-CSRF-Token", to: token)
        try response.head.fields.append(.setCookie, "\(Self.cookie)=\(cookie); Path=/")
        return response
    }

    private func validToken(of request: HTTPRequest) -> (cookie: String, token: String)? {
        let cookies = request.cookieValues(of: Self.cookie)
        let tokens = state.withLock { $0.tokens }
        return cookies.lazy.compactMap { cookie in tokens[cookie].map { (cookie, $0) } }.first
    }
}
