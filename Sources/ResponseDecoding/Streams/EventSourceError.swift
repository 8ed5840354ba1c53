public import HTTPMessages

/// Why an event stream was given up for good.
public struct EventSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// The server answered 204: it wants no further connections.
        public static let noContent = Code("noContent")
        /// The status is neither 200 nor one after which to try again.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// What came is not of the media type `text/event-stream`.
        public static let unacceptableMediaType = Code("unacceptableMediaType")
        /// Too many attempts in a row brought no stream.
        public static let tooManyFailures = Code("tooManyFailures")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The status of the last response, when there was one.
    public var status: HTTPStatus?
    /// The media type of the last response, when it named one.
    public var mediaType: MediaType?

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String, status: HTTPStatus? = nil, mediaType: MediaType? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.mediaType = mediaType
    }

    /// The status, the message and the code.
    public var description: String { "\(status.map { "\($0): " } ?? "")\(message) [\(code)]" }
}

extension EventSourceError: CustomReflectable {
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
