import Authentication
import Foundation
import HTTPMessages
import PatchbayErrors
import RequestModel
import SystemLibraries

/// The authorization request of one sign-in, and what its response has to match.
struct AuthorizationRequest: Sendable {
    /// Where the response is sent.
    let redirectURI: String
    /// The issuer that a response may name.
    let issuer: String
    /// Whether a response has to name its issuer (RFC 9207).
    let requiresIssuer: Bool
    /// Binds the response to this sign-in (RFC 6749, section 10.12).
    let state: String
    /// Binds the ID token to this sign-in (OpenID Connect Core, section 3.1.2.1).
    let nonce: String
    /// Binds the code to this sign-in (RFC 7636).
    let verifier: String
    /// The query of the authorization endpoint, without `client_id`.
    let parameters: [(String, String)]

    private static let ownParameters: Set<String> = [
        "client_id", "code_challenge", "code_challenge_method", "dpop_jkt", "nonce", "redirect_uri", "request",
        "request_uri",
        "response_mode", "response_type", "scope", "state",
    ]

    /// - Parameters:
    ///   - extra: further parameters, such as `prompt` and `login_hint`.
    ///   - keyThumbprint: of the key to which the code and the tokens are bound; nil without one.
    /// - Throws: ``SignInError`` (`invalidConfiguration`); `SystemLibraryError` (`failed`).
    init(
        metadata: OAuthServerMetadata, redirectURI: String, scope: OAuthScope, extra: [String: String] = [:],
        keyThumbprint: String? = nil, random: inout some RandomNumberGenerator
    ) throws {
        if let name = extra.keys.sorted().first(where: Self.ownParameters.contains) {
            throw SignInError(
                .invalidConfiguration, "The parameter `\(name)` is set by the sign-in; leave it out of `parameters`.")
        }
        self.redirectURI = redirectURI
        issuer = metadata.issuer
        requiresIssuer = metadata.returnsIssuer
        state = SecretText.random(using: &random)
        nonce = SecretText.random(using: &random)
        verifier = SecretText.random(using: &random)
        parameters =
            [
                ("response_type", "code"), ("redirect_uri", redirectURI), ("scope", scope.text), ("state", state),
                ("nonce", nonce), ("code_challenge", try SecretText.challenge(of: verifier)),
                ("code_challenge_method", "S256"), ("dpop_jkt", keyThumbprint ?? ""),
            ].filter { !$0.1.isEmpty } + extra.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The URL that the browser opens.
    func url(at endpoint: URL, client: String) throws -> URL {
        try Self.url(at: endpoint, [("client_id", client)] + parameters)
    }

    /// The URL that the browser opens for a pushed request (RFC 9126, section 4).
    static func url(at endpoint: URL, client: String, requestURI: String) throws -> URL {
        try url(at: endpoint, [("client_id", client), ("request_uri", requestURI)])
    }

    /// The endpoint's own query stays (RFC 6749, section 3.1).
    private static func url(at endpoint: URL, _ parameters: [(String, String)]) throws -> URL {
        let text = endpoint.absoluteString
        return try URL(httpString: text + (text.contains("?") ? "&" : "?") + Query(parameters).text(as: .form))
    }

    /// The query of a redirect, if it is one to the redirect URI.
    /// - Throws: ``SignInError`` (`invalidResponse`).
    func query(of redirect: URL) throws(SignInError) -> Query {
        let parts = redirect.absoluteString.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard Self.normalized(parts[0]) == Self.normalized(redirectURI[...]) else {
            throw SignInError(
                .invalidResponse,
                "The redirect is not one to the redirect URI \(redirectURI.shown); pass the URL that the browser opened."
            )
        }
        return Query(parsing: parts.count == 2 ? parts[1].prefix { $0 != "#" } : "", as: .form)
    }

    /// A redirect URI without query, as browsers write it: the scheme in lower case, of http and https the host too,
    /// and `/` for an empty path.
    private static func normalized(_ uri: Substring) -> String {
        var parts = URLReference(uri.prefix { $0 != "#" })
        parts.scheme = parts.scheme.map { $0.lowercased()[...] }
        return ["http", "https"].contains(parts.scheme) ? parts.normalized.text : parts.text
    }

    /// Checks a response and returns its code.
    ///
    /// The state first: any page and any program can send a response, and only the server knows the state.
    /// - Throws: ``SignInError`` (`stateMismatch`, `otherIssuer`, `accessDenied`, `refused`, `invalidResponse`).
    func code(in response: Query) throws(SignInError) -> String {
        guard response.values(of: "state").count == 1, SecretText.areEqual(response["state"] ?? "", state) else {
            throw SignInError.stateMismatch
        }
        for name in ["code", "iss", "error"] where response.values(of: name).count > 1 {
            throw SignInError(
                .invalidResponse, "The response has the parameter `\(name)` more than once; start the sign-in again.")
        }
        try checkIssuer(response["iss"])
        if let error = response["error"] { throw refusal(error, response["error_description"]) }
        guard let code = response["code"], !code.isEmpty, code.utf8.count <= 16 << 10 else {
            throw SignInError(
                .invalidResponse,
                "The response has neither a `code` of up to 16 KiB nor an `error`; check the server's client settings.")
        }
        return code
    }

    /// RFC 9207, section 2.4: the defence against a mix-up of servers.
    private func checkIssuer(_ issuer: String?) throws(SignInError) {
        guard let issuer else {
            guard requiresIssuer else { return }
            throw SignInError(
                .otherIssuer,
                "The response has no `iss`, which \(self.issuer.shown) promises; it may be of another server: refused.")
        }
        guard issuer == self.issuer else {
            throw SignInError(
                .otherIssuer,
                "The response is of another issuer: expected \(self.issuer.shown), found \(issuer.shown); start the "
                    + "sign-in again.")
        }
    }

    private func refusal(_ code: String, _ text: String?) -> SignInError {
        let (code, text) = (shown(code, limit: 64), text.flatMap { shown($0, limit: 200) })
        let reason = [code, text].compactMap(\.self).joined(separator: ": ")
        var error =
            code == "access_denied"
            ? SignInError(.accessDenied, "Access denied by the user or the server: \(reason).")
            : SignInError(.refused, "The server refused the sign-in: \(reason).")
        error.oauthError = code
        error.oauthErrorDescription = text
        return error
    }

    /// A server's text on one line, without the secrets that were sent to it.
    private func shown(_ text: String, limit: Int) -> String? {
        let text = [state, nonce, verifier].reduce(text) { $0.replacing($1, with: Redaction.placeholder) }
        return BodyExcerpt.text(of: Data(text.utf8), as: nil, limit: limit)
    }
}

extension AuthorizationRequest: RedactedStringConvertible {
    /// The issuer and the redirect URI.
    var description: String { "authorization request to \(issuer.shown), redirected to \(redirectURI.shown)" }
}

extension SignInError {
    static var stateMismatch: SignInError {
        SignInError(
            .stateMismatch,
            "The response belongs to another sign-in, such as that of an older tab: its `state` differs; end the latest "
                + "sign-in, or start another one.")
    }
}
