public import Foundation
public import HTTPMessages
public import ResponseDecoding

/// A complete response, unmodified.
public struct AKHTTPResponse: Hashable, Sendable, CustomStringConvertible {
    /// The underlying `HTTPResponse`.
    public let httpResponse: HTTPResponse

    init(_ response: HTTPResponse) { httpResponse = response }

    /// The status code.
    public var statusCode: Int { status.code }
    /// The status.
    public var status: HTTPStatus { httpResponse.status }
    /// The header fields.
    public var headers: HTTPFields { httpResponse.fields }
    /// The body.
    public var data: Data { httpResponse.body }
    /// Whether the status is below 300, which is success in Akula.
    public var isSuccess: Bool { httpResponse.head.isSuccess }

    /// The body decoded with its charset, else UTF-8; invalid bytes become U+FFFD.
    public var text: String {
        (try? TextResponseDecoder(invalidBytes: .replace).decode(httpResponse)) ?? String(decoding: data, as: UTF8.self)
    }

    /// The body as JSON, an object or array; nil if it is empty or whitespace.
    /// - Throws: ``AKError`` (`parse`).
    public func json() throws(AKError) -> JSONValue? {
        guard data.contains(where: { !$0.isJSONWhitespace }) else { return nil }
        let value = try decode(.jsonValue)
        guard value.object != nil || value.array != nil else {
            throw AKError(
                .parse, "The response body is JSON, but not an object or array; use another decoder.", response: self)
        }
        return value
    }

    /// Decodes the body.
    /// - Throws: ``AKError`` (`parse`).
    public func decode<Output>(_ decoder: some ResponseDecoder<Output>) throws(AKError) -> Output {
        do {
            return try decoder.decode(httpResponse)
        } catch {
            throw AKError(undecodable: error, response: self)
        }
    }

    /// Status, URL and body length; redacted.
    public var description: String { httpResponse.description }
}

extension HTTPResponseHead {
    /// Whether the status is below 300, which is success in Akula.
    var isSuccess: Bool { status.code < 300 }
}
