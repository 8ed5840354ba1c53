import HTTPMessages
import Transport

extension CredentialCache {
    static func signedOut(_ request: HTTPRequest?) -> AuthenticationError {
        AuthenticationError(
            .signedOut,
            "The user signed out while this call ran; it was not sent with the credential of the next user. "
                + "Make the call again if that user wants it.",
            request: request)
    }

    static func cancellation(_ request: HTTPRequest?) -> TransportError {
        TransportError(.cancelled, "The call was cancelled.", request: request)
    }

    static func refusal(
        _ challenge: HTTPResponseHead?, _ retryAfter: Duration, _ request: HTTPRequest?
    ) -> AuthenticationError {
        AuthenticationError(
            .tooManyRefreshes,
            "Too many failed refreshes: no credential was obtained that a server accepts; check the errors before this "
                + "one, and retry in \(retryAfter.secondsText).",
            request: request, head: challenge, retryAfter: retryAfter)
    }
}
