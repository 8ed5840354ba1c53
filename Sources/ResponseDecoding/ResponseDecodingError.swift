public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Why a response that came could not be used.
///
/// Its text names the request and the status. Where the status was refused, or a body that should be JSON is something
/// else, it shows up to 200 characters of a text body, without the values of members, parameters and elements whose names
/// are secret (`Redaction.standard`). It shows no other body and no field. ``bodyPrefix`` and ``fields`` have all.
public struct ResponseDecodingError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The status is not among the accepted ones.
        public static let unacceptableStatus = Code(name: "unacceptableStatus", number: 1)
        /// The body is not of an accepted media type.
        public static let unacceptableMediaType = Code(name: "unacceptableMediaType", number: 2)
        /// There is no body where a value was expected.
        public static let emptyBody = Code(name: "emptyBody", number: 3)
        /// The response names a charset that is not known here; see ``ResponseDecodingError/charset``.
        public static let unsupportedCharset = Code(name: "unsupportedCharset", number: 4)
        /// The body has bytes that its charset does not allow; see ``ResponseDecodingError/byteOffset``.
        public static let invalidText = Code(name: "invalidText", number: 5)
        /// The body is not JSON.
        public static let invalidJSON = Code(name: "invalidJSON", number: 6)
        /// The body is JSON, and not what the type wants; see ``ResponseDecodingError/codingPath``.
        public static let unexpectedValue = Code(name: "unexpectedValue", number: 7)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, for a developer.
    public let message: String
    /// The status of the response.
    public let status: HTTPStatus
    /// The fields of the response.
    public let fields: HTTPFields
    /// The URL that answered, without secrets.
    public let url: String
    /// The method, where the transport told it, and the URL without secrets.
    public let request: String
    /// The start of the body, at most 1 KiB.
    public let bodyPrefix: Data
    /// The charset, as the response names it, when the code is `unsupportedCharset`; the charset's name when it is
    /// `invalidText`.
    public var charset: String?
    /// The place of the first byte of the body that is wrong, when the code is `invalidText`.
    public var byteOffset: Int?
    /// Where in the JSON the value is, such as `items[3].price`, when the code is `unexpectedValue`; empty for the
    /// outermost value.
    public var codingPath: String?
    /// The decoder's own error. It may quote the body.
    public var underlying: (any Error)?

    /// Makes an error. `message` must not hold secrets.
    public init(
        _ code: Code, _ message: String, response: HTTPResponse, charset: String? = nil, byteOffset: Int? = nil,
        codingPath: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        status = response.status
        fields = response.fields
        url = Redaction.standard.text(of: response.url)
        request = response.head.requestText
        bodyPrefix = Data(response.body.prefix(1024))
        self.charset = charset
        self.byteOffset = byteOffset
        self.codingPath = codingPath
        self.underlying = underlying
    }

    /// The URL that answered, without secrets.
    public var failingURL: String? { url }
    /// Request, status, message and code.
    public var description: String {
        code == .unacceptableStatus
            ? "\(request): \(message) [\(code)]" : "\(request): \(status): \(message) [\(code)]"
    }
}
