import HTTPMessages

/// A value of an entry, from Atom or JSON.
indirect enum ODataNode: Hashable, Sendable {
    case null
    /// Text, also of numbers and dates that the format writes as text; with its `m:type` if there is one.
    case text(String, type: String?)
    /// A JSON number or Boolean.
    case literal(JSONValue)
    case object([String: ODataNode])
    /// Elements, with the URL of the next ones if the server sent only a part.
    case array([ODataNode], next: String? = nil)
    /// A navigation property that was not expanded, with its URL.
    case deferred(String)

    /// What the value is, for errors: never the value.
    var found: String {
        switch self {
        case .null: "null"
        case .text(_, let type): "text" + (type.map { " (\($0.excerpt(40)))" } ?? "")
        case .literal(let value): value.bool == nil ? "a number" : "a Boolean"
        case .object: "an object"
        case .array: "an array"
        case .deferred: "a link; request it with $expand"
        }
    }

    /// The value as JSON; text stays text, and a deferred property is null.
    var json: JSONValue {
        switch self {
        case .null, .deferred: .null
        case .text(let text, _): .string(text)
        case .literal(let value): value
        case .object(let members): .object(members.mapValues(\.json))
        case .array(let elements, _): .array(elements.map(\.json))
        }
    }
}

extension String {
    /// The start of a text. A character may have any number of scalars, so these are counted.
    func excerpt(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }
}
