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

/// An entity in a response.
struct ODataEntry {
    let type: EntityType
    /// The absolute URL, which is also the id.
    let url: String
    let key: String
    let etag: String?
    let values: [String: String]

    /// A fixed time: the service does not keep the time of a change.
    static let updated = "<updated>2014-01-01T00:00:00Z</updated>"

    func document(as format: ODataFormat) -> ODataDocument { .entry(self, as: format) }

    var json: JSONValue {
        var metadata: [String: JSONValue] = ["uri": .string(url), "type": .string(type.name)]
        if let etag { metadata["etag"] = .string(etag) }
        var members = ["__metadata": JSONValue.object(metadata)]
        for (name, type, text) in type.ordered(values) { members[name] = text.map(type.json) ?? .null }
        return .object(members)
    }

    func xml(attributes: String = "") -> String {
        let properties = type.ordered(values).map { name, type, text in
            let typed = type == .string ? name : "\(name) m:type=\"\(type.rawValue)\""
            return text.map { "<d:\(typed)>\($0.xmlEscaped)</d:\(name)>" } ?? "<d:\(typed) m:null=\"true\"/>"
        }
        let tag = etag.map { " m:etag=\"\($0.xmlEscaped)\"" } ?? ""
        return "<entry\(attributes)\(tag)><id>\(url.xmlEscaped)</id><title>\(key.xmlEscaped)</title>\(Self.updated)"
            + "<link rel=\"edit\" href=\"\((type.set + ODataKey.text(key)).xmlEscaped)\"/>"
            + "<content type=\"application/xml\"><m:properties>\(properties.joined())</m:properties></content></entry>"
    }
}
