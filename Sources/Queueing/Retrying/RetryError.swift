public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
public import Transport

/// Why a retry that the strategy wanted was not made.
///
/// `description` holds no secrets: the URL is redacted, and neither fields nor the body are shown.
public struct RetryError: PatchbayError, Hashable {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The server asked for a longer wait than ``RetryAfterDelay/cap``.
        public static let retryAfterTooLong = Code(name: "retryAfterTooLong", number: 1)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String
    /// The method and URL without secrets.
    public let request: String
    /// The URL of the request without secrets.
    public let failingURL: String?
    /// The wait that the server asked for.
    public let retryAfter: Duration
    /// The longest wait that the strategy allows.
    public let cap: Duration
    /// The head of the last response.
    public let head: HTTPResponseHead
    /// The start of the body of the last response, at most 1 KiB; empty for a streamed response.
    public internal(set) var bodyPrefix = Data()
    /// All attempts, oldest first.
    public let attempts: [TransportError.Attempt]

    init(
        _ request: HTTPRequest, retryAfter: Duration, cap: Duration, head: HTTPResponseHead,
        attempts: [TransportError.Attempt]
    ) {
        code = .retryAfterTooLong
        self.request = request.description
        failingURL = request.redactedURL
        self.retryAfter = retryAfter
        self.cap = cap
        self.head = head
        self.attempts = attempts
        message =
            "\(head.status); the server asks to wait \(retryAfter.secondsText) before a retry (Retry-After), and `RetryAfterDelay.cap` allows \(cap.secondsText)."
    }

    /// The request, the message, the number of attempts after retries, and the code.
    public var description: String {
        let text = "\(request): \(message)"
        return "\(attempts.count > 1 ? attempts.ending(text) : text) [\(code)]"
    }
}
