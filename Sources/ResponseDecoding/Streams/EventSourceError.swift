import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Why an event stream was given up for good.
public struct EventSourceError: PatchbayError, Hashable {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The server answered 204: it wants no further connections.
        public static let noContent = Code(name: "noContent", number: 1)
        /// The status is neither 200 nor one after which to try again.
        public static let unacceptableStatus = Code(name: "unacceptableStatus", number: 2)
        /// What came is not of the media type `text/event-stream`.
        public static let unacceptableMediaType = Code(name: "unacceptableMediaType", number: 3)
        /// Too many attempts in a row brought no stream.
        public static let tooManyFailures = Code(name: "tooManyFailures", number: 4)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The status of the last response, when there was one.
    public var status: HTTPStatus?
    /// The media type of the last response, when it named one.
    public var mediaType: MediaType?

    /// The URL of the stream, without secrets, once the request is known.
    public var failingURL: String?

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String, status: HTTPStatus? = nil, mediaType: MediaType? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.mediaType = mediaType
    }

    /// The URL, the status, the message and the code.
    public var description: String {
        [failingURL, status.map(String.init(describing:)), "\(message) [\(code)]"].compactMap(\.self)
            .joined(separator: ": ")
    }
}
