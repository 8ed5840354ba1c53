public import Foundation

/// One value of a store: what a cell holds and what a parameter of a statement is. The five storage classes of SQLite
/// (sqlite.org/datatype3.html, section 2).
///
/// ```swift
/// try store.execute("INSERT INTO jack VALUES (?, ?)", [7, "plate"])
/// ```
public enum StoreValue: Hashable, Sendable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A floating point number. One that is not a number is stored as ``null``.
    case real(Double)
    /// Text, which may hold any character, NUL included.
    case text(String)
    /// Bytes.
    case blob(Data)

    /// The storage class of a value.
    public enum Kind: UInt8, Hashable, Sendable {
        /// No value.
        case null
        /// A whole number of 64 bits.
        case integer
        /// A floating point number of 64 bits.
        case real
        /// UTF-8 text.
        case text
        /// Bytes.
        case blob
    }

    /// The storage class of this value.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

extension StoreValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
}
