import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Final error of an event stream, after which it does not reconnect.
public struct EventSourceError: PatchbayError, Hashable {
    /// The kind of error. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name of the constant in Swift.
        public let name: String
        /// The code of the `NSError`.
        public let number: Int

        /// The server answered 204, which forbids reconnection.
        public static let noContent = Code(name: "noContent", number: 1)
        /// The status is neither 200 nor a retryable one.
        public static let unacceptableStatus = Code(name: "unacceptableStatus", number: 2)
        /// The media type is not `text/event-stream`.
        public static let unacceptableMediaType = Code(name: "unacceptableMediaType", number: 3)
        /// Too many attempts in a row failed.
        public static let tooManyFailures = Code(name: "tooManyFailures", number: 4)
    }

    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The status of the last response, or nil.
    public var status: HTTPStatus?
    /// The media type of the last response, or nil.
    public var mediaType: MediaType?

    /// The redacted URL of the stream, or nil.
    public var failingURL: String?

    /// Creates an error. `message` must not contain secrets.
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
