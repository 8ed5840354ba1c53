import Foundation
import HTTPMessages

/// The response to a token request (RFC 6749, sections 5.1 and 5.2).
struct TokenResponse {
    private let response: HTTPResponse
    private let request: HTTPRequest
    private let secrets: [String]

    /// - Parameter secrets: the values that were sent, which no error must show.
    init(_ response: HTTPResponse, request: HTTPRequest, secrets: [String]) {
        self.response = response
        self.request = request
        self.secrets = secrets
    }

    /// OAuth's `error`; nil without one.
    var errorCode: String? { (try? JSONValue(parsing: response.body))?["error"]?.string }

    /// Reads the token.
    /// - Parameters:
    ///   - scope: the scope of a token without one of its own.
    ///   - now: the local time at which the response arrived.
    /// - Throws: ``AuthenticationError`` (`refused`, `invalidTokenResponse`, `invalidCredential`).
    func token(scope: OAuthScope, now: Date) throws(AuthenticationError) -> OAuthToken {
        let body = try? JSONValue(parsing: response.body)
        // Some servers refuse with status 200, and some send a null `error` with a token.
        let isRefused = body?["error"].map { !$0.isNull } ?? false
        if !response.status.isSuccessful || isRefused { throw refusal(body) }
        guard let value = body?["access_token"]?.string, !value.isEmpty else {
            throw invalid("no `access_token`, or no JSON object")
        }
        let type = body?["token_type"]?.string
        guard type.map({ $0.lowercased() == "bearer" }) ?? true else {
            throw invalid("the `token_type` is not `Bearer`")
        }
        let refreshToken = body?["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return try OAuthToken(
            value, scope: body?["scope"]?.string.map { OAuthScope($0) } ?? scope,
            expiry: Self.seconds(body?["expires_in"]).map { now + $0 }, refreshToken: refreshToken)
    }

    /// A lifetime in seconds, at most 100 years; some servers send a string. Nil for anything else.
    private static func seconds(_ value: JSONValue?) -> TimeInterval? {
        let seconds = value?.double ?? value?.string.flatMap(Double.init)
        return seconds.flatMap { $0.isFinite ? min(max($0, 0), .century) : nil }
    }

    private func invalid(_ reason: String) -> AuthenticationError {
        AuthenticationError(
            .invalidTokenResponse,
            "Invalid token response: \(reason) (\(response.status)); check the URL of the token endpoint.",
            request: request, head: response.head)
    }

    private func refusal(_ body: JSONValue?) -> AuthenticationError {
        let code = redacted(body?["error"]?.string, limit: 64)
        let text = redacted(body?["error_description"]?.string, limit: 200)
        let reason = [code, text].compactMap(\.self).joined(separator: ": ")
        var error = AuthenticationError(
            .refused, "Token request refused: \(response.status)\(reason.isEmpty ? "" : ", \(reason)").",
            request: request, head: response.head)
        error.oauthError = code
        error.oauthErrorDescription = text
        error.oauthErrorURI = body?["error_uri"]?.string.flatMap { URL(string: $0) }
            .flatMap { redacted(Redaction.standard.redacted($0), limit: 200) }
        return error
    }

    /// A server's text on one line, without the secrets that were sent to it.
    private func redacted(_ text: String?, limit: Int) -> String? {
        guard var text else { return nil }
        for secret in secrets where !secret.isEmpty {
            text = text.replacing(secret, with: Redaction.placeholder)
                .replacing(secret.formEncoded, with: Redaction.placeholder)
        }
        return BodyExcerpt.text(of: Data(text.utf8), as: nil, limit: limit)
    }
}
