import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
public import Transport

/// A request that a queue rejected or dropped.
///
/// `description` holds no secrets. Cancellation and timeouts in a queue are `TransportError`, as in every layer.
public struct QueueError: PatchbayError, Hashable {
    /// The kind of failure. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The queue is full; see ``QueueLimits/capacity``.
        public static let full = Code(name: "full", number: 1)
        /// The request was dropped for a newer one; see ``QueueLimits/OverflowPolicy/dropOldest``.
        public static let dropped = Code(name: "dropped", number: 2)
        /// The queue is draining and rejects new requests; see ``RequestQueue/drain()``.
        public static let draining = Code(name: "draining", number: 3)
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String
    /// The method and URL without secrets, or nil without a request.
    public let request: String?
    /// The URL of the request without secrets, or nil without a request.
    public let failingURL: String?
    /// The attempts before the queue rejected a retry, oldest first; empty if there were none.
    public var attempts: [TransportError.AttemptRecord] = []

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
        return "\(attempts.isEmpty ? text : attempts.appendingSummary(to: text)) [\(code)]"
    }
}
