import Foundation
import HTTPMessages
import PatchbayTestKit

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
