import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A failure to sign a message or to verify its signature or digest.
///
/// `description` contains no secrets, no signature and no field values.
public struct SigningError: PatchbayError {
    /// The kind of failure.
    public let code: Code
    /// What is wrong, and what to do about it.
    public let message: String
    /// The method and redacted URL of the request; nil without one.
    public let request: String?
    /// The redacted URL of ``request``.
    public let failingURL: String?
    /// The head of the response that was refused; nil without one.
    public var head: HTTPResponseHead?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, request: HTTPRequest? = nil, head: HTTPResponseHead? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.request = request?.description
        failingURL = request?.redactedURL
        self.head = head
        self.underlying = underlying
    }

    /// The request, the message and the code.
    public var description: String { "\(request.map { "\($0): \(message)" } ?? message) [\(code)]" }
}

extension SigningError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { head?.status }
}

extension ErrorCode where Failure == SigningError {
    /// The key cannot be read, is too short, or is of another kind than the algorithm.
    public static var invalidKey: Self { Self(1) }
    /// The system's cryptography failed.
    public static var signing: Self { Self(2) }
    /// A component cannot be signed: it is missing, malformed, there twice, or of the other kind of message.
    public static var invalidComponent: Self { Self(3) }
    /// The body can be read only once, and its digest must be known before it is sent.
    public static var bodyNotReplayable: Self { Self(4) }
    /// `Signature-Input`, `Signature` or a digest field is malformed.
    public static var malformedField: Self { Self(5) }
    /// The message has no signature of the wanted label, tag and components.
    public static var missingSignature: Self { Self(6) }
    /// There is no key of that name.
    public static var unknownKey: Self { Self(7) }
    /// The signature is not one of the key and the message.
    public static var invalidSignature: Self { Self(8) }
    /// The signature is too old, has expired, or was made in the future: one of the clocks may be wrong.
    public static var notCurrent: Self { Self(9) }
    /// The message has no digest of a known algorithm, or the engine has decoded the body that it is of.
    public static var missingDigest: Self { Self(10) }
    /// The digest is not that of the body.
    public static var digestMismatch: Self { Self(11) }
    /// There are no credentials, or they cannot be sent.
    public static var invalidCredential: Self { Self(12) }
    /// A setting cannot be used: a label, a region, a time, or how a body is signed.
    public static var invalidParameter: Self { Self(13) }
}
