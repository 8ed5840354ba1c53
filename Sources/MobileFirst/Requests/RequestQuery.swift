import Foundation
import HTTPMessages
import RequestModel

/// The query of a request: the parameters of its URL as they are written there, and those that the app sets.
struct RequestQuery: Sendable {
    private struct Parameter {
        let name: String
        let value: String?
        /// The encoded parameter.
        let text: String
    }

    private var parameters: [Parameter] = []

    init() {}

    /// Parses the query of a URL. Each parameter keeps its text, so nothing is encoded twice.
    init(parsing text: Substring) {
        for piece in text.split(separator: "&") {
            guard let item = Query(parsing: piece).first else { continue }
            parameters.append(Parameter(name: item.name, value: item.value, text: String(piece)))
        }
    }

    /// Takes parameters by name, sorted; each element of an array is a value of its name.
    /// - Throws: `JSONError` for values that JSON cannot represent, and names that are no strings.
    init(_ values: [AnyHashable: Any]) throws(JSONError) {
        guard let members = try JSONValue(foundation: values).object else { return }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard case .array(let elements) = value else {
                set(name, to: try value.parameterText)
                continue
            }
            for element in elements { append(name, try element.parameterText) }
        }
    }

    private mutating func append(_ name: String, _ value: String?) {
        let text = URIComponent.encode(name, value)
        parameters.append(Parameter(name: name, value: value, text: text))
    }

    /// Replaces all values of a name; nil writes the name only.
    mutating func set(_ name: String, to value: String?) {
        let text = URIComponent.encode(name, value)
        let parameter = Parameter(name: name, value: value, text: text)
        guard let first = parameters.firstIndex(where: { $0.name == name }) else {
            return parameters.append(parameter)
        }
        parameters[first] = parameter
        parameters[(first + 1)...].removeAll { $0.name == name }
    }

    /// The encoded query, without `?`.
    var text: String { parameters.map(\.text).joined(separator: "&") }

    /// The values by name: a string, or an array of strings where a name occurs more than once.
    var values: [AnyHashable: Any] {
        Dictionary(grouping: parameters, by: \.name).reduce(into: [:]) { values, entry in
            let texts = entry.value.map { $0.value ?? "" }
            values[entry.key] = texts.count == 1 ? texts[0] as Any : texts as Any
        }
    }
}

extension JSONValue {
    /// The text of a query, form or header value: a string without quotes, others as JSON; nil for null.
    /// - Throws: `JSONError` for numbers that JSON cannot represent: NaN and infinity.
    var parameterText: String? {
        get throws(JSONError) {
            switch self {
            case .null: nil
            case .string(let text): text
            default: String(decoding: try data(), as: UTF8.self)
            }
        }
    }
}
