import Foundation
import HTTPMessages
import ResponseDecoding

/// A body in one of OData's two formats, told apart by its first character, because servers mislabel them.
enum ODataDocument {
    case xml(XMLTree)
    case json(JSONValue)

    /// Parses a body.
    /// - Throws: ``ODataError`` (`malformed`, `limitExceeded`).
    init(parsing body: Data) throws(ODataError) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = body.starts(with: byteOrderMark) ? Data(body.dropFirst(3)) : body
        switch text.first(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) {
        case UInt8(ascii: "<"):
            self = .xml(try XMLTree(parsing: text))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            do throws(JSONError) {
                self = .json(try JSONValue(parsing: text, keepingLongNumbers: true))
            } catch {
                throw ODataError(.malformed, error.message)
            }
        case nil:
            throw ODataError(.malformed, "The body is empty; expected Atom or JSON.")
        default:
            throw ODataError(
                .malformed, "The body is neither XML nor JSON; check the URL, and that the service sends Atom or JSON.")
        }
    }
}

extension HTTPResponse {
    /// The body, JSON in UTF-8. XML tells its encoding itself.
    var odataBody: Data {
        let json = jsonBody
        let first = json.first { !$0.isJSONWhitespace }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? json : body
    }
}
