public import Foundation
public import HTTPMessages

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// How a request ended.
///
/// | what happened | ``response``, ``data`` | ``error`` |
/// |---|---|---|
/// | the server answered, whatever the status | set | nil |
/// | no answer came, or nothing could be sent | nil | set |
public struct ORAResponse: Sendable {
    /// The answer's head, an `HTTPURLResponse`.
    public let response: URLResponse?
    /// The answer's body; empty data when there is none.
    public let data: Data?
    /// Why there is no answer: an ``ORAError``, which as an `NSError` has the domain and the codes of URLSession.
    public let error: (any Error)?
    /// What the request's tag was when it was added.
    public let requestTag: String?
    /// The answer as the rest of Patchbay knows it.
    public let httpResponse: HTTPResponse?

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
