import Foundation
package import HTTPMessages

/// The response to a form that was sent to an ``OAuthEndpoint`` (RFC 6749, sections 5.1 and 5.2).
package struct OAuthResponse: Sendable {
    private let response: HTTPResponse
    private let request: HTTPRequest
    private let purpose: OAuthEndpoint.Purpose
    private let secrets: [String]

    /// - Parameter secrets: the values that were sent, which no error must show.
    init(_ response: HTTPResponse, request: HTTPRequest, purpose: OAuthEndpoint.Purpose, secrets: [String]) {
        self.response = response
        self.request = request
        self.purpose = purpose
        self.secrets = secrets
    }

    /// The status.
    package var status: HTTPStatus { response.status }

    /// The members of the body; nil for a body that is not JSON.
    package var members: JSONValue? { try? JSONValue(parsing: response.body) }

    /// OAuth's `error`; nil without one.
    package var errorCode: String? { members?["error"]?.string }

    /// True if the server may have refused an assertion for its time.
    var mayBeExpired: Bool { [.badRequest, .unauthorized, .forbidden].contains(status) }

    /// True if the server refuses the code or the refresh token of a client that it knows; it must not be sent again.
    var refusesGrant: Bool { errorCode == "invalid_grant" }

    /// The members of a response that is not a refusal.
    /// - Throws: ``AuthenticationError`` (`refused`).
    @discardableResult
    package func accepted() throws(AuthenticationError) -> JSONValue? {
        let members = members
        // Some servers refuse with status 200, and some send a null `error` with a token.
        let isRefused = members?["error"].map { !$0.isNull } ?? false
        if !status.isSuccessful || isRefused { throw refusal(members) }
        return members
    }

    /// The error of a response that lacks something; `reason` must not contain secrets.
    package func invalid(
        _ reason: String, remedy: String? = nil
    ) -> AuthenticationError {
        AuthenticationError(
            .invalidTokenResponse,
            "Invalid \(purpose.rawValue) response: \(reason) (\(status)); "
                + "\(remedy ?? "check the URL of the \(purpose.rawValue) endpoint").",
            request: request, head: response.head)
    }

    private func refusal(_ members: JSONValue?) -> AuthenticationError {
        let code = redacted(members?["error"]?.string, limit: 64)
        let text = redacted(members?["error_description"]?.string, limit: 200)
        let reason = [code, text].compactMap(\.self).joined(separator: ": ")
        var error = AuthenticationError(
            .refused,
            "\(purpose.title) request refused: \(status)\(reason.isEmpty ? "" : ", \(reason)").",
            request: request, head: response.head)
        error.oauthError = code
        error.oauthErrorDescription = text
        error.oauthErrorURI = members?["error_uri"]?.string.flatMap { URL(string: $0) }
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
