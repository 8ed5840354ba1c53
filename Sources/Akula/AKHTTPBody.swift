public import Foundation
public import HTTPMessages
public import RequestModel

/// A request's body. Use one of the kinds below, or any `RequestBody`: a form, a file, a stream, multipart.
public protocol AKHTTPBody: Sendable {
    /// The body to send, asked for when the call is made.
    /// - Throws: when the body cannot be sent; the call then fails with it.
    func requestBody() throws -> RequestBody
}

extension RequestBody: AKHTTPBody {
    /// The body itself.
    public func requestBody() -> RequestBody { self }
}

/// A JSON body, in UTF-8.
public final class AKJSONHTTPBody: AKHTTPBody {
    private let body: Result<RequestBody, HTTPMessageError>

    /// A body of dictionaries, arrays, strings, numbers, `NSNull` and `JSONValue`. Anything else makes the call fail
    /// with ``AKError/Code/invalidRequest``.
    public init(object: Any) {
        body = Result { () throws(HTTPMessageError) in try .json(JSONValue(foundation: object)) }
    }

    /// A body of a JSON value.
    public init(_ value: JSONValue) { body = Result { () throws(HTTPMessageError) in try .json(value) } }

    /// A body of a value that can be encoded.
    public init(encoding value: some Encodable) {
        body = Result { () throws(HTTPMessageError) in try .json(encoding: value) }
    }

    /// The body to send.
    /// - Throws: `HTTPMessageError` (`invalidJSON`).
    public func requestBody() throws -> RequestBody { try body.get() }
}

/// A text body, in UTF-8.
public final class AKTextHTTPBody: AKHTTPBody {
    private let body: RequestBody

    /// A body of a text.
    public init(string: String) { body = .text(string) }

    /// The body to send.
    public func requestBody() -> RequestBody { body }
}

/// A body of bytes.
public final class AKDataHTTPBody: AKHTTPBody {
    private let body: Result<RequestBody, HTTPMessageError>

    /// A body of bytes of a media type, default `application/octet-stream`. One that cannot be read makes the call fail
    /// with ``AKError/Code/invalidRequest``.
    public init(data: Data, contentType: String = "application/octet-stream") {
        body = Result { () throws(HTTPMessageError) in .bytes(data, mediaType: try MediaType(contentType)) }
    }

    /// The body to send.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`).
    public func requestBody() throws -> RequestBody { try body.get() }
}
