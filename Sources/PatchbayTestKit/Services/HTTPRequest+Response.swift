public import Foundation
public import HTTPMessages

extension HTTPRequest {
    /// Creates a response to this request.
    public func response(
        _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Data = Data()
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: fields, body: body, url: url)
    }

    /// Creates a response with a text in UTF-8.
    public func response(_ status: HTTPStatus = .ok, text: String) -> HTTPResponse {
        response(status, type: "text/plain; charset=utf-8", body: Data(text.utf8))
    }

    /// Creates a response with JSON.
    public func response(_ status: HTTPStatus = .ok, json: JSONValue) -> HTTPResponse {
        response(status, type: "application/json", body: Data(json.description.utf8))
    }

    // Only for types that are valid field values.
    private func response(_ status: HTTPStatus, type: String, body: Data) -> HTTPResponse {
        var fields = HTTPFields()
        try? fields.set(.contentType, to: type)
        return response(status, fields: fields, body: body)
    }
}
