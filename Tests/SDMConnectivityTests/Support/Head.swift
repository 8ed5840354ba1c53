import Foundation
import HTTPMessages
import Testing

/// A response head of `http://example.com/`.
func head(_ fields: [(String, String)], _ status: Int = 200) throws -> HTTPResponseHead {
    HTTPResponseHead(
        status: try #require(HTTPStatus(status)), fields: try HTTPFields(fields),
        url: try #require(URL(string: "http://example.com/")))
}
