import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
public import Transport

/// Why a queue did not let a request through.
///
/// `description` holds no secrets. A cancellation, or a deadline that passed, is a `TransportError` as everywhere.
public struct QueueError: PatchbayError, Hashable {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// As many requests wait as may; see ``QueueLimits/waiting``.
        public static let full = Code(name: "full", number: 1)
        /// It waited, and was dropped for a newer one; see ``QueueLimits/Overflow/dropOldest``.
        public static let dropped = Code(name: "dropped", number: 2)
        /// The queue takes no requests any more; see ``RequestQueue/drain()``.
        public static let draining = Code(name: "draining", number: 3)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened and what to do about it, for a developer.
    public let message: String
    /// The method and URL without secrets, or nil when there was no request.
    public let request: String?
    /// The URL of the request without secrets, or nil when there was no request.
    public let failingURL: String?
    /// Every attempt of a call that was repeated and then did not come through the queue again, oldest first. Empty where
    /// nothing was repeated.
    public var attempts: [TransportError.Attempt] = []

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String, request: HTTPRequest? = nil) {
        self.code = code
        self.message = message
        self.request = request?.description
        failingURL = request?.redactedURL
    }

    /// The request, the message, the number of attempts after retries, and the code.
    public var description: String {
        let text = request.map { "\($0): \(message)" } ?? message
        return "\(attempts.isEmpty ? text : attempts.ending(text)) [\(code)]"
    }
}
