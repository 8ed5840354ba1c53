public import Foundation
public import HTTPMessages

/// The error that an OData service describes in a body, in XML or JSON.
public struct ODataErrorDocument: Hashable, Sendable {
    /// The service's code, such as `005056A509B11EE1B9A8FEC11C21578E`; may be empty.
    public let code: String
    /// The text for users; may be empty.
    public let message: String
    /// The language of ``message``, such as `en`.
    public let language: String?
    /// Details of the service; elements of XML become members, and equal ones an array.
    public let innerError: JSONValue?

    /// Maximum size of a body that is parsed, 256 KiB: unlike data, it is parsed without being asked for.
    static let sizeLimit = 256 << 10

    /// Parses a body; nil if it is not an OData error, or larger than 256 KiB.
    public init?(parsing body: Data) {
        guard body.count <= Self.sizeLimit else { return nil }
        switch try? ODataDocument(parsing: body) {
        case .xml(let root): self.init(root)
        case .json(let value): self.init(value)
        case nil: return nil
        }
    }

    private init?(_ root: XMLTree) {
        let namespace = XMLNamespace.metadata
        guard root.name == "error", root.namespace == namespace else { return nil }
        let message = root.first("message", in: namespace)
        code = root.first("code", in: namespace)?.trimmedText ?? ""
        self.message = message?.trimmedText ?? ""
        language = message?[attribute: "lang", in: XMLNamespace.xml]
        innerError = root.first("innererror", in: namespace)?.jsonValue
    }

    private init?(_ value: JSONValue) {
        guard let error = value["error"] ?? value["odata.error"], error.object != nil else { return nil }
        let message = error["message"]
        code = error["code"].flatMap { $0.string ?? $0.integer.map(String.init) } ?? ""
        // OData 4 has a plain string.
        self.message = message?["value"]?.string ?? message?.string ?? ""
        language = message?["lang"]?.string
        innerError = error["innererror"]
    }
}

extension XMLTree {
    var trimmedText: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// The text, or an object of the children.
    fileprivate var jsonValue: JSONValue {
        guard !children.isEmpty else { return .string(trimmedText) }
        var members: [String: [JSONValue]] = [:]
        for child in children { members[child.name, default: []].append(child.jsonValue) }
        return .object(members.mapValues { $0.count == 1 ? $0[0] : .array($0) })
    }
}
