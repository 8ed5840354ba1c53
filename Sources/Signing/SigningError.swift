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

extension ErrorCode where Failure == SigningError {
    /// The key cannot be read, is too short, or is of another kind than the algorithm.
    public static var invalidKey: Self { Self(1) }
    /// The system's cryptography failed.
    public static var signing: Self { Self(2) }
}
