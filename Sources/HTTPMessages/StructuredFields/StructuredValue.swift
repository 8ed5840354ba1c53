public import Foundation

/// Value of a structured field (RFC 9651): what an item, a parameter or a member of a dictionary has.
public enum StructuredValue: Hashable, Sendable {
    /// A number of up to 15 digits: `-42`.
    case integer(Int64)
    /// A number of up to 12 digits and three decimals: `4.5`. Further decimals are rounded when it is written.
    case decimal(Decimal)
    /// Printable ASCII characters: `"hello"`.
    case string(String)
    /// An identifier: `gzip`, `text/html`, `*`.
    case token(String)
    /// Bytes: `:aGVsbG8=:`.
    case bytes(Data)
    /// A Boolean: `?1`.
    case bool(Bool)
    /// A date in whole seconds: `@1659578233`. Fractions are dropped when it is written.
    case date(Date)
    /// Any characters, for people: `%"f%c3%bc"`.
    case displayString(String)

    /// The string, token or display string.
    public var text: String? {
        switch self {
        case .string(let text), .token(let text), .displayString(let text): text
        default: nil
        }
    }

    /// The integer.
    public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The Boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}
