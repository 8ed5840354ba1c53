public import Foundation
public import HTTPMessages
public import ResponseDecoding

/// A server's response, whole and as it came.
public struct AKHTTPResponse: Hashable, Sendable, CustomStringConvertible {
    /// The response as the rest of Patchbay knows it.
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
    /// True when the status is below 300, which is what Akula calls success.
    public var isSuccess: Bool { statusCode < 300 }

    /// The body as text: as its charset says, else UTF-8; bytes that cannot be read become U+FFFD.
    public var text: String { TextBody.text(of: httpResponse) }

    /// The body as JSON; nil when it is empty.
    /// - Throws: ``AKError`` (`parse`).
    public func json() throws(AKError) -> JSONValue? {
        try JSONBody.value(of: self)
    }

    /// The body, decoded.
    /// - Throws: ``AKError`` (`parse`).
    public func decode<Output>(_ decoder: some ResponseDecoder<Output>) throws(AKError) -> Output {
        do {
            return try decoder.decode(httpResponse)
        } catch {
            throw AKError(unreadable: error, response: self)
        }
    }

    /// Status, URL and length, without secrets and without the body.
    public var description: String { httpResponse.description }
}
