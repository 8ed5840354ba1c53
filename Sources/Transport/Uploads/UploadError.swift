import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A failure of a resumable upload other than a transport error.
public struct UploadError: PatchbayError {
    /// The kind of failure.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The head of the last response, if there was one.
    public var head: HTTPResponseHead?
    /// The method and redacted URL of the request.
    public var request: String?
    /// The redacted URL of the request.
    public var failingURL: String?

    /// Creates an error. `message` must not contain secrets.
    public init(_ code: Code, _ message: String, head: HTTPResponseHead? = nil) {
        self.code = code
        self.message = message
        self.head = head
    }

    /// The request, the message and the code.
    public var description: String { "\(request.map { "\($0): " } ?? "")\(message) [\(code)]" }
}

extension UploadError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { head?.status }
}

extension ErrorCode where Failure == UploadError {
    /// The server does not support this protocol of resumable uploads, or its upload must not get the content.
    public static var unsupported: Self { Self(1) }
    /// The body cannot be sent in parts: it is neither bytes nor a file.
    public static var unsupportedBody: Self { Self(2) }
    /// The server has refused the upload; see ``UploadError/head``.
    public static var unacceptableStatus: Self { Self(3) }
    /// The server's offset is less than before, beyond the end, or stays where it was.
    public static var unexpectedOffset: Self { Self(4) }
    /// The record of the upload cannot be written; see ``UploadOptions/record``.
    public static var recordFailure: Self { Self(5) }
    /// The upload is larger than the server takes (`max-size` of `Upload-Limit`).
    public static var tooLarge: Self { Self(6) }
    /// The upload is smaller than the server takes (`min-size` of `Upload-Limit`).
    public static var tooSmall: Self { Self(7) }
}
