import Foundation
import HTTPMessages
@_exported public import PatchbayErrors

/// A sign-in that failed before there were tokens.
///
/// A token endpoint that refuses a code fails with an `AuthenticationError`, and a request without a response with a
/// `TransportError`. `description` has no codes, verifiers, tokens, states or nonces.
public struct SignInError: PatchbayError {
    /// The kind of failure.
    public let code: Code
    /// What is wrong, and what to do about it.
    public let message: String
    /// OAuth's `error`, such as `access_denied` (RFC 6749, section 4.1.2.1); nil if the server sent none.
    public var oauthError: String?
    /// OAuth's `error_description`, on one line, at most 200 characters.
    public var oauthErrorDescription: String?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension ErrorCode where Failure == SignInError {
    /// An issuer, a redirect URI, a parameter or a duration that cannot be used.
    public static var invalidConfiguration: Self { Self(1) }
    /// An endpoint or an issuer is not `https`.
    public static var insecureURL: Self { Self(2) }
    /// The server's metadata cannot be read.
    public static var invalidMetadata: Self { Self(3) }
    /// The metadata, the response or the ID token names another issuer.
    public static var otherIssuer: Self { Self(4) }
    /// The server or this platform does not support what the sign-in needs.
    public static var unsupported: Self { Self(5) }
    /// The browser could not be opened.
    public static var browser: Self { Self(6) }
    /// Another program uses the redirect address.
    public static var addressInUse: Self { Self(7) }
    /// The listener for the redirect could not be started.
    public static var cannotListen: Self { Self(8) }
    /// The user has closed the window.
    public static var windowClosed: Self { Self(9) }
    /// The task was cancelled.
    public static var cancelled: Self { Self(10) }
    /// No response arrived in time.
    public static var timedOut: Self { Self(11) }
    /// The response belongs to another sign-in, such as that of another tab.
    public static var stateMismatch: Self { Self(12) }
    /// The sign-in has a response already; this one was refused.
    public static var duplicateResponse: Self { Self(13) }
    /// The sign-in has ended without a response; this one was refused.
    public static var lateResponse: Self { Self(14) }
    /// The response of the authorization endpoint is malformed.
    public static var invalidResponse: Self { Self(15) }
    /// The user or the server has denied access: `access_denied`.
    public static var accessDenied: Self { Self(16) }
    /// The authorization endpoint refused for another reason; see ``SignInError/oauthError``.
    public static var refused: Self { Self(17) }
    /// The ID token is malformed, expired, or for another client or sign-in.
    public static var invalidIDToken: Self { Self(18) }
    /// The code that was shown to the user has expired.
    public static var deviceCodeExpired: Self { Self(19) }
    /// The tokens are removed here, but the server may still accept them.
    public static var revocationFailed: Self { Self(20) }
}
