public import HTTPMessages
public import Transport

/// Why a queue did not let a request through.
///
/// `description` holds no secrets. A cancellation, or a deadline that passed, is a `TransportError` as everywhere.
public struct QueueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// As many requests wait as may; see ``QueueLimits/waiting``.
        public static let full = Code("full")
        /// It waited, and was dropped for a newer one; see ``QueueLimits/Overflow/dropOldest``.
        public static let dropped = Code("dropped")
        /// The queue takes no requests any more; see ``RequestQueue/drain()``.
        public static let draining = Code("draining")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened and what to do about it, for a developer.
    public let message: String
    /// The method and URL without secrets, or nil when there was no request.
    public let request: String?
    /// Every attempt of a call that was repeated and then did not come through the queue again, oldest first. Empty where
    /// nothing was repeated.
    public var attempts: [TransportError.Attempt] = []

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String, request: HTTPRequest? = nil) {
        self.code = code
        self.message = message
        self.request = request?.description
    }

    /// The request, the message and the code, and what went before.
    public var description: String {
        let text = "\(request.map { "\($0): " } ?? "")\(message) [\(code)]"
        guard !attempts.isEmpty else { return text }
        return "\(text) after \(attempts.count) attempts: \(attempts.map(\.description).joined(separator: "; "))"
    }
}
