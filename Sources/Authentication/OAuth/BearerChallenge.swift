public import HTTPMessages

/// What a response says about the bearer token of its request (RFC 6750, section 3).
public enum BearerChallenge: Hashable, Sendable {
    /// Nothing: it is not a challenge for a bearer token.
    case none
    /// The request needs a token, or another one: status 401, with or without `error="invalid_token"`.
    case newToken
    /// The token lacks a scope: `error="insufficient_scope"`; the scope is nil if the server names none.
    case insufficientScope(OAuthScope?)
    /// The request is malformed, so another token would not help: `error="invalid_request"`.
    case invalidRequest

    /// Reads the status and the `WWW-Authenticate` fields.
    ///
    /// Status 401 without any valid challenge counts as `newToken`, since many servers omit the field.
    public init(_ response: HTTPResponseHead) { self.init(response, scheme: "bearer") }

    /// - Parameter scheme: the scheme of the token, in lower case.
    init(_ response: HTTPResponseHead, scheme: String) {
        guard response.status == .unauthorized || response.status == .forbidden else {
            self = .none
            return
        }
        let challenges = response.challenges
        let bearer = challenges.filter { $0.scheme == scheme }
        let isUnauthorized = response.status == .unauthorized
        guard let challenge = bearer.first(where: { $0["error"] != nil }) ?? bearer.first else {
            self = isUnauthorized && challenges.isEmpty ? .newToken : .none
            return
        }
        switch challenge["error"] {
        case "insufficient_scope": self = .insufficientScope(challenge["scope"].map { OAuthScope($0) })
        case "invalid_request": self = .invalidRequest
        default: self = isUnauthorized ? .newToken : .none
        }
    }
}
