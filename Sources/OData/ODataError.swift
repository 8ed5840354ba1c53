public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// An error response of an OData service, or a response that cannot be decoded.
public struct ODataError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The service's error, for ``code`` `service`; nil if the body is not an OData error.
    public var document: ODataErrorDocument?
    /// The status of the response; nil if only a body was parsed.
    public var statusCode: Int?
    /// The body, at most its first 64 KiB.
    public var rawBody = Data()
    /// The element, such as `entries[3].Price`, for `missingValue` and `unexpectedValue`.
    public var element: String?
    /// The redacted URL of the response.
    public var failingURL: String?

    package init(_ code: Code, _ message: String, element: String? = nil) {
        self.code = code
        self.message = message
        self.element = element
    }

    /// This error with the response in which it was found.
    func found(in response: HTTPResponse) -> ODataError {
        var error = self
        error.statusCode = response.status.code
        error.rawBody = Data(response.body.prefix(Self.bodyLimit))
        error.failingURL = Redaction.standard.redacted(response.url)
        return error
    }

    static let bodyLimit = 64 << 10
}

extension ErrorCode where Failure == ODataError {
    /// The status is not 2xx; see ``ODataError/document``.
    public static var service: Self { Self(1) }
    /// The body is neither XML nor JSON.
    public static var malformed: Self { Self(2) }
    /// The body is not an entry or a collection.
    public static var unexpectedDocument: Self { Self(3) }
    /// A property is missing, null, or not expanded.
    public static var missingValue: Self { Self(4) }
    /// A property has a value of another type.
    public static var unexpectedValue: Self { Self(5) }
    /// The body is nested too deep, or has too many elements, a document type declaration, or too long base URLs.
    public static var limitExceeded: Self { Self(6) }
}

extension ODataError {
    /// The error of a response, if its status is 4xx or 5xx; nil otherwise.
    ///
    /// ``document`` is nil for a body that is not an OData error, such as a login page; ``rawBody`` always has the
    /// body.
    public init?(_ response: HTTPResponse) {
        guard response.status.code >= 400 else { return nil }
        self.init(refused: response)
    }

    /// The error for an unaccepted status.
    package init(refused response: HTTPResponse) {
        let document = ODataErrorDocument(parsing: response.odataBody)
        let text = (document.map { "\($0.code): \($0.message)" }?.utf8).map { Data($0) } ?? response.body
        let excerpt = BodyExcerpt.text(of: text, as: .plainText).map { ": \($0)" } ?? ""
        self.init(.service, "\(response.head.requestDescription): \(response.status)\(excerpt)")
        self = found(in: response)
        self.document = document
    }
}
