import Foundation
import HTTPMessages

/// A primitive type of OData V2, with its two representations.
///
/// | type | text in Atom | JSON |
/// |---|---|---|
/// | `Edm.String` | any | string |
/// | `Edm.Int32` | `350` | number |
/// | `Edm.Decimal` | `499.90` | string |
/// | `Edm.Boolean` | `true`, `false` | Boolean |
/// | `Edm.DateTime` | `2014-03-01T10:30:00` | `/Date(1393669800000)/`, milliseconds since 1970 |
enum EdmType: String {
    case string = "Edm.String"
    case int32 = "Edm.Int32"
    case decimal = "Edm.Decimal"
    case boolean = "Edm.Boolean"
    case dateTime = "Edm.DateTime"

    /// True for a valid text.
    func accepts(_ text: String) -> Bool {
        switch self {
        case .string: true
        case .int32: Int32(text) != nil
        case .decimal: text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil
        case .boolean: text == "true" || text == "false"
        case .dateTime: Self.date(text) != nil
        }
    }

    /// The JSON of a valid text.
    func json(_ text: String) -> JSONValue {
        switch self {
        case .string, .decimal: .string(text)
        case .int32: Int64(text).map(JSONValue.integer) ?? .null
        case .boolean: .bool(text == "true")
        case .dateTime:
            Self.date(text).map { .string("/Date(\(Int64($0.timeIntervalSince1970) * 1000))/") } ?? .null
        }
    }

    /// The text of a JSON value; nil for one of another type.
    func text(_ json: JSONValue) -> String? {
        let text: String? =
            switch self {
            case .string, .decimal: json.string
            case .int32: json.integer.map(String.init)
            case .boolean: json.bool.map(String.init)
            case .dateTime: json.string.flatMap(Self.text)
            }
        return text.flatMap { accepts($0) ? $0 : nil }
    }

    private static func date(_ text: String) -> Date? {
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+/) != nil else { return nil }
        return try? Date(text + "Z", strategy: .iso8601)
    }

    private static func text(ofDate json: String) -> String? {
        // The years 1 to 9999.
        let range: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000
        guard let match = json.wholeMatch(of: /\/Date\((-?[0-9]+)\)\//), let milliseconds = Int64(match.1),
            range.contains(milliseconds)
        else { return nil }
        return String(Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601).dropLast())
    }
}
