public import Foundation
public import HTTPMessages

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The result of a request.
///
/// | result | ``response``, ``data``, ``statusCode`` | ``error`` |
/// |---|---|---|
/// | a response of any status, 404 and 500 included | set | nil |
/// | no response, or the request could not be sent | nil | set |
///
/// So check the status as well as the error: `if response.error == nil, response.statusCode == 200 { … }`.
public struct ORAResponse: Sendable {
    /// The head of the response, an `HTTPURLResponse`.
    public let response: URLResponse?
    /// The body of the response; empty when there is none.
    public let data: Data?
    /// Why there is no response: an ``ORAError``, which as an `NSError` has the domain and the codes of URLSession.
    public let error: (any Error)?
    /// What the request's tag was when it was added.
    public let requestTag: String?
    /// The response as a value of Patchbay.
    public let httpResponse: HTTPResponse?

    /// The status code of the response, such as 200 or 404; nil without a response.
    public var statusCode: Int? { httpResponse?.status.code }

    /// ``requestTag``, as the vendor's reference spells it.
    public var requestTAG: String? { requestTag }

    init(_ result: Result<HTTPResponse, ORAError>, requestTag: String?) {
        self.requestTag = requestTag
        switch result {
        case .success(let answer):
            response = URLResponse.of(answer.head)
            data = answer.body
            error = nil
            httpResponse = answer
        case .failure(let failure):
            response = nil
            data = nil
            error = failure
            httpResponse = nil
        }
    }
}

extension ORAResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the length, or the error; without secrets and without the body.
    public var description: String { httpResponse?.description ?? error.map { "\($0)" } ?? "" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension URLResponse {
    /// Foundation's form of a response's head; several lines of one name are joined.
    fileprivate static func of(_ head: HTTPResponseHead) -> URLResponse {
        var lines: [HTTPFieldName: String] = [:]
        for field in head.fields {
            lines[field.name] = lines[field.name].map { "\($0), \(field.value)" } ?? field.value
        }
        let fields = Dictionary(lines.map { ($0.key.spelling, $0.value) }) { first, _ in first }
        return HTTPURLResponse(
            url: head.url, statusCode: head.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
            ?? URLResponse(
                url: head.url, mimeType: head.mediaType?.essence, expectedContentLength: -1, textEncodingName: nil)
    }
}
