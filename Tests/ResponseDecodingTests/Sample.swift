import Foundation
import HTTPMessages

/// A response with a body, for tests.
func sample(
    _ body: Data, type: String? = nil, status: HTTPStatus = .ok,
    url: String = "https://example.com/items?id=7&access_token=sesame"
) throws -> HTTPResponse {
    var fields = HTTPFields()
    if let type { try fields.append(.contentType, type) }
    try fields.append("Set-Cookie", "sid=cookiesecret")
    return HTTPResponse(status: status, fields: fields, body: body, url: try HTTPRequest.url(of: url))
}

/// A response with a text in UTF-8 as its body.
func sample(_ body: String, type: String? = nil, status: HTTPStatus = .ok) throws -> HTTPResponse {
    try sample(Data(body.utf8), type: type, status: status)
}

/// An object such as a server sends.
struct Item: Codable, Hashable, Sendable {
    var name: String
    var price: Double
}

/// Several of them.
struct Basket: Codable, Hashable, Sendable {
    var items: [Item]
}
