import Foundation
import HTTPMessages

/// Creates a response with a body.
func sample(
    _ body: Data, type: String? = nil, status: HTTPStatus = .ok,
    url: String = "https://example.com/items?id=7&access_token=sesame"
) throws -> HTTPResponse {
    var fields = HTTPFields()
    if let type { try fields.append(.contentType, type) }
    try fields.append("Set-Cookie", "sid=cookiesecret")
    return HTTPResponse(status: status, fields: fields, body: body, url: try URL(httpString: url))
}

/// Creates a response with a string in UTF-8 as body.
func sample(_ body: String, type: String? = nil, status: HTTPStatus = .ok) throws -> HTTPResponse {
    try sample(Data(body.utf8), type: type, status: status)
}

/// A typical JSON object.
struct Item: Codable, Hashable, Sendable {
    var name: String
    var price: Double
}

/// A list of items.
struct Basket: Codable, Hashable, Sendable {
    var items: [Item]
}
