import HTTPMessages

/// A value of an entry, from Atom or JSON.
indirect enum ODataNode: Hashable, Sendable {
    case null
    /// Text, also of numbers and dates that the format writes as text; with its `m:type` if there is one.
    case text(String, type: String?)
    /// A JSON number or Boolean.
    case literal(JSONValue)
    case object([String: ODataNode])
    case array([ODataNode])
    /// A navigation property that was not expanded, with its URL.
    case deferred(String)

    /// What the value is, for errors; a short excerpt of text, unless a name in the path is that of a secret.
    func found(_ path: ODataPath) -> String {
        let isSecret = path.isSecret
        switch self {
        case .null: return "null"
        case .text(let text, let type):
            let kind = type.map { " (\($0.excerpt(40)))" } ?? ""
            if isSecret { return "text\(kind)" }
            return text.excerpt(40).debugDescription + kind
        case .literal(let value):
            return isSecret ? (value.bool == nil ? "a number" : "a Boolean") : "\(value)"
        case .object: return "an object"
        case .array: return "an array"
        case .deferred: return "a link; request it with $expand"
        }
    }

    /// The value as JSON; text stays text, and a deferred property is null.
    var json: JSONValue {
        switch self {
        case .null, .deferred: .null
        case .text(let text, _): .string(text)
        case .literal(let value): value
        case .object(let members): .object(members.mapValues(\.json))
        case .array(let elements): .array(elements.map(\.json))
        }
    }
}

extension String {
    /// The start of a text. A character may have any number of scalars, so these are counted.
    func excerpt(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }
}
