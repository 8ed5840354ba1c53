public import Foundation
public import HTTPMessages
public import RequestModel

/// A request body: one of the types below, or any `RequestBody` (form, file, stream, multipart).
public protocol AKHTTPBody: Sendable {
    /// The body to send. Called once per call, on the caller's thread.
    /// - Throws: an error, with which the call fails.
    func requestBody() throws -> RequestBody
}

extension RequestBody: AKHTTPBody {
    /// Returns itself.
    public func requestBody() -> RequestBody { self }
}

/// A JSON body in UTF-8.
public final class AKJSONHTTPBody: AKHTTPBody {
    private let body: Result<RequestBody, HTTPMessageError>

    /// Creates a body from dictionaries, arrays, strings, numbers, `NSNull` and `JSONValue`. With any other value, and
    /// with a number from 10^15 on whose digits neither an `Int64` nor a `Double` holds, the call fails with
    /// `invalidRequest`.
    public init(object: Any) {
        body = Result { () throws(HTTPMessageError) in
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONValue(foundation: object)
            } catch {
                throw HTTPMessageError(error)
            }
            return try .json(value)
        }
    }

    /// Creates a body from a JSON value.
    public init(_ value: JSONValue) { body = Result { () throws(HTTPMessageError) in try .json(value) } }

    /// Creates a body by encoding a value.
    public init(encoding value: some Encodable) {
        body = Result { () throws(HTTPMessageError) in try .json(encoding: value) }
    }

    /// The body to send.
    /// - Throws: `HTTPMessageError` (`invalidJSON`).
    public func requestBody() throws -> RequestBody { try body.get() }
}

/// A text body in UTF-8.
public final class AKTextHTTPBody: AKHTTPBody {
    private let body: RequestBody

    /// Creates a body from a string.
    public init(string: String) { body = .text(string) }

    /// The body to send.
    public func requestBody() -> RequestBody { body }
}

/// A binary body.
public final class AKDataHTTPBody: AKHTTPBody {
    private let body: Result<RequestBody, HTTPMessageError>

    /// Creates a body from bytes and a media type. With an invalid media type the call fails with
    /// `invalidRequest`.
    public init(data: Data, contentType: String = "application/octet-stream") {
        body = Result { () throws(HTTPMessageError) in .bytes(data, mediaType: try MediaType(contentType)) }
    }

    /// The body to send.
    /// - Throws: `HTTPMessageError` (`invalidMediaType`).
    public func requestBody() throws -> RequestBody { try body.get() }
}
