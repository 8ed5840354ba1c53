import Foundation
import HTTPMessages

/// Parameters of a query or a form, with all values of a name in their order.
struct Parameters {
    private var values: [String: [String]] = [:]

    /// Parses a query or form. In both `+` is a space, as in the servlet containers of the vendor's server.
    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                let spaced = String(part).replacing("+", with: " ")
                return spaced.removingPercentEncoding ?? spaced
            }
            values[parts[0], default: []].append(parts.count == 2 ? parts[1] : "")
        }
    }

    /// The value of a name; nil unless there is exactly one, because OAuth forbids repeated parameters.
    subscript(name: String) -> String? { values[name]?.count == 1 ? values[name]?[0] : nil }

    /// Lists of values by name.
    var json: JSONValue { .object(values.mapValues { .array($0.map(JSONValue.string)) }) }
}

extension HTTPRequest {
    /// The raw query, without the question mark; empty if there is none.
    var queryString: String { url.query(percentEncoded: true) ?? "" }
    var parameters: Parameters { Parameters(queryString) }
}

extension JSONValue {
    static func string(orNull text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
