public import Foundation
public import HTTPMessages

extension HTTPRequest {
    /// A response to this request, for services.
    public func reply(
        _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Data = Data()
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: fields, body: body, url: url)
    }

    /// A response with a text, as UTF-8.
    public func reply(_ status: HTTPStatus = .ok, text: String) -> HTTPResponse {
        reply(status, type: "text/plain; charset=utf-8", body: Data(text.utf8))
    }

    /// A response with JSON.
    public func reply(_ status: HTTPStatus = .ok, json: JSONValue) -> HTTPResponse {
        reply(status, type: "application/json", body: Data(json.description.utf8))
    }

    // Only for types that are known to be valid field values.
    private func reply(_ status: HTTPStatus, type: String, body: Data) -> HTTPResponse {
        var fields = HTTPFields()
        try? fields.set(.contentType, to: type)
        return reply(status, fields: fields, body: body)
    }
}
