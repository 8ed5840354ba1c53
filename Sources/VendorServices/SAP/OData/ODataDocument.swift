import Foundation
import HTTPMessages
import PatchbayTestKit

/// A body of OData V2, in JSON or XML.
enum ODataDocument {
    case json(JSONValue)
    /// XML without its declaration, and its media type without a charset.
    case xml(String, type: String)

    private static let namespaces =
        "xmlns=\"\(ODataNamespace.atom)\" xmlns:m=\"\(ODataNamespace.metadata)\" xmlns:d=\"\(ODataNamespace.data)\""

    /// One entity.
    static func entry(_ entry: ODataEntry, as format: ODataFormat) -> ODataDocument {
        switch format {
        case .json: .json(["d": entry.json])
        case .atom: .xml(entry.xml(attributes: " " + namespaces), type: "application/atom+xml;type=entry")
        }
    }

    /// A list of entities.
    static func feed(_ entries: [ODataEntry], url: String, as format: ODataFormat) -> ODataDocument {
        switch format {
        case .json: .json(["d": ["results": .array(entries.map(\.json))]])
        case .atom:
            .xml(
                "<feed \(namespaces)><id>\(url.xmlEscaped)</id><title/>\(ODataEntry.updated)"
                    + entries.map { $0.xml() }.joined() + "</feed>", type: "application/atom+xml;type=feed")
        }
    }

    /// The service document.
    static func service(base: String, sets: [String], as format: ODataFormat) -> ODataDocument {
        switch format {
        case .json: .json(["d": ["EntitySets": .array(sets.map(JSONValue.string))]])
        case .atom:
            .xml(
                "<service xmlns=\"\(ODataNamespace.app)\" xmlns:atom=\"\(ODataNamespace.atom)\" "
                    + "xml:base=\"\(base.xmlEscaped)\"><workspace><atom:title>Default</atom:title>"
                    + sets.map { "<collection href=\"\($0)\"><atom:title>\($0)</atom:title></collection>" }.joined()
                    + "</workspace></service>", type: "application/atomsvc+xml")
        }
    }

    /// The response with this body and `DataServiceVersion: 2.0`.
    func response(_ status: HTTPStatus = .ok, to request: HTTPRequest) throws -> HTTPResponse {
        let (type, text) =
            switch self {
            case .json(let value): ("application/json;charset=utf-8", value.description)
            case .xml(let text, let type):
                ("\(type);charset=utf-8", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + text)
            }
        let fields = try HTTPFields(["Content-Type": type, "DataServiceVersion": "2.0"])
        return request.response(status, fields: fields, body: Data(text.utf8))
    }
}
