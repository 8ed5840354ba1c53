public import HTTPMessages

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

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String, request: HTTPRequest? = nil) {
        self.code = code
        self.message = message
        self.request = request?.description
    }

    /// The request, the message and the code.
    public var description: String { "\(request.map { "\($0): " } ?? "")\(message) [\(code)]" }
}
