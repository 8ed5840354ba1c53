public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Error in a received response: unacceptable status or media type, or a body that cannot be decoded.
///
/// ``description`` contains the request and the status. For an unacceptable status, and for a text body in place of
/// JSON, it also contains up to 200 characters of the body, with the values of secret members, parameters and elements
/// redacted (`Redaction.standard`). It never contains header fields; see ``bodyPrefix`` and ``fields`` for those.
public struct ResponseDecodingError: HTTPStatusError {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// Status, fields and URL of the response.
    public let head: HTTPResponseHead
    /// The redacted URL of the response.
    public let url: String
    /// The method, if known, and the redacted URL.
    public let request: String
    /// The start of the body, at most 1 KiB.
    public let bodyPrefix: Data
    /// The charset label of the response for `unsupportedCharset`; the name of the charset for `invalidText`.
    public var charset: String?
    /// Offset of the invalid byte for `invalidText`, or of the error in the JSON.
    ///
    /// For `invalidJSON` it is that of the invalid token, for `unexpectedValue` that of the rejected value.
    public var byteOffset: Int?
    /// The number of the line of ``byteOffset`` in the JSON, starting at 1.
    public var line: Int?
    /// Path to the JSON value, such as `items[3].price`, for `unexpectedValue`; empty for the root value.
    public var codingPath: String?
    /// The decoder's error. It may quote the body.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, response: HTTPResponse, charset: String? = nil, byteOffset: Int? = nil,
        codingPath: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        head = response.head
        url = Redaction.standard.redacted(response.url)
        request = response.head.requestDescription
        bodyPrefix = Data(response.body.prefix(1024))
        self.charset = charset
        self.byteOffset = byteOffset
        self.codingPath = codingPath
        self.underlying = underlying
    }

    /// The status of the response.
    public var status: HTTPStatus { head.status }
    /// The fields of the response.
    public var fields: HTTPFields { head.fields }
    /// Same as ``bodyPrefix``.
    public var bytes: Data { bodyPrefix }
    /// Same as ``url``.
    public var failingURL: String? { url }
    /// Request, status, message and code.
    public var description: String {
        code == .unacceptableStatus
            ? "\(request): \(message) [\(code)]" : "\(request): \(status): \(message) [\(code)]"
    }
}

extension ErrorCode where Failure == ResponseDecodingError {
    /// The status is not accepted.
    public static var unacceptableStatus: Self { Self(1) }
    /// The media type is not accepted.
    public static var unacceptableMediaType: Self { Self(2) }
    /// The body is empty where a value is expected.
    public static var emptyBody: Self { Self(3) }
    /// The charset of the response is unsupported; see ``ResponseDecodingError/charset``.
    public static var unsupportedCharset: Self { Self(4) }
    /// The body contains bytes that are invalid in its charset; see ``ResponseDecodingError/byteOffset``.
    public static var invalidText: Self { Self(5) }
    /// The body is not JSON.
    public static var invalidJSON: Self { Self(6) }
    /// The body is JSON but does not match the type; see ``ResponseDecodingError/codingPath``.
    public static var unexpectedValue: Self { Self(7) }
}
