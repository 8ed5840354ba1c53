import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Final error of an event stream, after which it does not reconnect.
public struct EventSourceError: PatchbayError, Hashable {
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

extension EventSourceError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { status }
}

extension ErrorCode where Failure == EventSourceError {
    /// The server answered 204, which forbids reconnection.
    public static var noContent: Self { Self(1) }
    /// The status is neither 200 nor a retryable one.
    public static var unacceptableStatus: Self { Self(2) }
    /// The media type is not `text/event-stream`.
    public static var unacceptableMediaType: Self { Self(3) }
    /// Too many attempts in a row failed.
    public static var tooManyFailures: Self { Self(4) }
}
