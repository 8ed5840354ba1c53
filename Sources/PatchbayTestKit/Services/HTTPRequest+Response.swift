public import Foundation
public import HTTPMessages
import Transport

extension HTTPRequest {
    /// Creates a response to this request.
    public func response(
        _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Data = Data()
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: fields, body: body, url: url)
    }

    /// Creates a response with fields after its body; a server sends it chunked.
    ///
    /// On Linux, URLSession ends the whole process when it receives them: use `CurlTransport` or ``ServiceTransport``.
    public func response(
        _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Data = Data(), trailers: HTTPFields
    ) -> HTTPResponse {
        var response = response(status, fields: fields, body: body)
        try? response.head.fields.set(.transferEncoding, to: "chunked")
        let report = TransferReport()
        report.complete(nil, trailers: trailers)
        response.head.transferReport = report
        return response
    }

    /// Creates a response with a text in UTF-8. A `Content-Type` of `fields` is kept.
    public func response(
        _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), text: String
    ) -> HTTPResponse {
        response(status, fields, type: "text/plain; charset=utf-8", body: Data(text.utf8))
    }

    /// Creates a response with JSON. A `Content-Type` of `fields` is kept.
    /// - Parameter json: the value; a text, also one that holds JSON, is a JSON string.
    public func response(
        _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), json: JSONValue
    ) -> HTTPResponse {
        response(status, fields, type: "application/json", body: Data(json.description.utf8))
    }

    /// Creates the challenge of a proxy (status 407), as of a transport that has sent this request to one.
    /// - Parameter challenge: the value of `Proxy-Authenticate`.
    public func proxyChallenge(_ challenge: String) throws(HTTPMessageError) -> HTTPResponse {
        var response = response(
            HTTPStatus(407) ?? .unauthorized, fields: try HTTPFields(["Proxy-Authenticate": challenge]))
        response.head.isProxyChallenge = true
        return response
    }

    // Only for types that are valid field values.
    private func response(_ status: HTTPStatus, _ fields: HTTPFields, type: String, body: Data) -> HTTPResponse {
        var fields = fields
        if !fields.contains(.contentType) { try? fields.set(.contentType, to: type) }
        return response(status, fields: fields, body: body)
    }
}
