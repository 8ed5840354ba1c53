import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A failure to obtain, store or use a credential.
///
/// A token request that got no response fails with a `TransportError` instead. `description` contains no secrets: the
/// values that were sent are redacted in the texts of the server.
public struct AuthenticationError: PatchbayError {
    /// The kind of failure.
    public let code: Code
    /// What is wrong, and what to do about it.
    public let message: String
    /// The method and redacted URL of the token request, or of the call that was refused; nil without one.
    public let request: String?
    /// The redacted URL of ``request``.
    public let failingURL: String?
    /// The head of the server's response; nil without one.
    public var head: HTTPResponseHead?
    /// OAuth's `error`, such as `invalid_grant` (RFC 6749, section 5.2); nil if the server sent none.
    public var oauthError: String?
    /// OAuth's `error_description`, redacted, at most 200 characters.
    public var oauthErrorDescription: String?
    /// OAuth's `error_uri`, redacted.
    public var oauthErrorURI: String?
    /// The schemes of the challenges, such as `NTLM` and `Negotiate`, for `unsupportedChallenge`; otherwise empty.
    public var unsupportedSchemes: [String] = []
    /// The minimum wait before another attempt is useful, for `tooManyRefreshes`.
    public var retryAfter: Duration?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, request: HTTPRequest? = nil, head: HTTPResponseHead? = nil,
        retryAfter: Duration? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.request = request?.description
        failingURL = request?.redactedURL
        self.head = head
        self.retryAfter = retryAfter
        self.underlying = underlying
    }

    /// The request, the message and the code.
    public var description: String { "\(request.map { "\($0): \(message)" } ?? message) [\(code)]" }
}

extension AuthenticationError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { head?.status }
}

extension AuthenticationError: ReconnectableError {
    /// True if the server of the tokens has failed or is busy, or the pause after failures has not ended.
    package var permitsReconnection: Bool {
        code == .invalidTokenResponse || head?.status.isTemporary ?? false || retryAfter != nil
    }
}

extension ErrorCode where Failure == AuthenticationError {
    /// The server refused to issue a token; ``AuthenticationError/oauthError`` tells why.
    public static var refused: Self { Self(1) }
    /// The response to a token request is not a token.
    public static var invalidTokenResponse: Self { Self(2) }
    /// There is no refresh token, or it has expired or was revoked: the user has to sign in again.
    public static var signInRequired: Self { Self(3) }
    /// Too many refreshes failed, or their credentials were rejected; see ``RefreshPolicy/maximumFailures``.
    public static var tooManyRefreshes: Self { Self(4) }
    /// A user, password, token or client ID that cannot be sent.
    public static var invalidCredential: Self { Self(5) }
    /// The token endpoint is not `https`.
    public static var insecureEndpoint: Self { Self(6) }
    /// The private key cannot be read, or is not an RSA key of at least 2048 bits.
    public static var invalidKey: Self { Self(7) }
    /// The signature of a client assertion could not be made.
    public static var signing: Self { Self(8) }
    /// The token store cannot be read or written.
    public static var tokenStore: Self { Self(9) }
    /// An authorizer asked its own cache, or a prompt its own store, for a credential and would wait for itself.
    public static var recursiveRefresh: Self { Self(10) }
    /// No challenge of the response is supported; see ``AuthenticationError/unsupportedSchemes``.
    public static var unsupportedChallenge: Self { Self(11) }
    /// The request body cannot be hashed, which `qop=auth-int` of Digest requires.
    public static var bodyNotReadable: Self { Self(12) }
    /// The response does not prove that the server knows the password: `rspauth` of Digest is wrong.
    public static var serverNotAuthentic: Self { Self(13) }
    /// A challenge or a credential of one origin for a request to another.
    public static var challengeOfOtherOrigin: Self { Self(14) }
    /// The user or the app supplied no credential.
    public static var noCredential: Self { Self(15) }
    /// A hash could not be computed.
    public static var hashing: Self { Self(16) }
    /// The user signed out while the call ran, so it was not sent with the credential of the next user.
    public static var signedOut: Self { Self(17) }
}

extension AuthenticationError: RecurringError {
    /// True once the user of the call has signed out.
    package var isRecurring: Bool { code == .signedOut }
}
