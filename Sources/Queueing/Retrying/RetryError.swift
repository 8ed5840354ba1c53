public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
public import Transport

/// A retry that the strategy wanted, and that was not made.
///
/// `description` holds no secrets: the URL is redacted, and neither fields nor the body are shown.
public struct RetryError: PatchbayError, Hashable {
    /// The kind of failure. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The server's `Retry-After` exceeds ``RetryAfterBackoff/cap``.
        public static let retryAfterTooLong = Code(name: "retryAfterTooLong", number: 1)
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String
    /// The method and URL without secrets.
    public let request: String
    /// The URL of the request without secrets.
    public let failingURL: String?
    /// The server's `Retry-After`.
    public let retryAfter: Duration
    /// The longest `Retry-After` that the strategy honors.
    public let cap: Duration
    /// The head of the last response.
    public let head: HTTPResponseHead
    /// The first bytes of the last response's body, at most 1 KiB; empty for a streamed response.
    public internal(set) var bodyPrefix = Data()
    /// All attempts, oldest first.
    public let attempts: [TransportError.AttemptRecord]

    init(
        _ request: HTTPRequest, retryAfter: Duration, cap: Duration, head: HTTPResponseHead,
        attempts: [TransportError.AttemptRecord]
    ) {
        code = .retryAfterTooLong
        self.request = request.description
        failingURL = request.redactedURL
        self.retryAfter = retryAfter
        self.cap = cap
        self.head = head
        self.attempts = attempts
        message =
            "\(head.status); the server asks to wait \(retryAfter.secondsText) before a retry (Retry-After), and `RetryAfterBackoff.cap` allows \(cap.secondsText)."
    }

    /// The request, the message, the number of attempts after retries, and the code.
    public var description: String {
        let text = "\(request): \(message)"
        return "\(attempts.count > 1 ? attempts.appendingSummary(to: text) : text) [\(code)]"
    }
}
