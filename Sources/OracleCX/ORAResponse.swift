public import Foundation
public import HTTPMessages
public import PatchbayErrors

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The result of a request.
///
/// | result | ``response``, ``data``, ``statusCode`` | ``error`` |
/// |---|---|---|
/// | a response with any status, 404 and 500 included | set | nil |
/// | no response, or an invalid request | nil | set |
///
/// So check the status too: `if response.error == nil, response.statusCode == 200 { … }`.
public struct ORAResponse: Sendable {
    /// The head of the response, an `HTTPURLResponse`.
    public let response: URLResponse?
    /// The response body; empty if it has none.
    public let data: Data?
    /// An ``ORAError`` if there is no response; as an `NSError` it has URLSession's domain and code.
    public let error: (any Error)?
    /// The request's tag.
    public let requestTag: String?
    /// The response as an `HTTPResponse`.
    public let httpResponse: HTTPResponse?

    /// The status code, such as 200 or 404; nil without a response.
    public var statusCode: Int? { httpResponse?.status.code }

    /// ``requestTag``, as the vendor's reference spells it.
    public var requestTAG: String? { requestTag }

    init(_ result: Result<HTTPResponse, ORAError>, requestTag: String?) {
        self.requestTag = requestTag
        switch result {
        case .success(let httpResponse):
            response = URLResponse.make(from: httpResponse.head)
            data = httpResponse.body
            error = nil
            self.httpResponse = httpResponse
        case .failure(let failure):
            response = nil
            data = nil
            error = failure
            httpResponse = nil
        }
    }
}

extension ORAResponse: RedactedStringConvertible {
    /// Status, URL and body length, or the error; redacted.
    public var description: String { httpResponse?.description ?? error.map { "\($0)" } ?? "" }
}

extension URLResponse {
    /// Converts a response head; fields of the same name are joined with commas.
    fileprivate static func make(from head: HTTPResponseHead) -> URLResponse {
        var lines: [HTTPFieldName: String] = [:]
        for field in head.fields {
            lines[field.name] = lines[field.name].map { "\($0), \(field.value)" } ?? field.value
        }
        let fields = Dictionary(lines.map { ($0.key.rawName, $0.value) }) { first, _ in first }
        return HTTPURLResponse(
            url: head.url, statusCode: head.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
            ?? URLResponse(
                url: head.url, mimeType: head.mediaType?.essence, expectedContentLength: -1, textEncodingName: nil)
    }
}
