public import Foundation

/// Value of a cell or a statement parameter, in SQLite's five storage classes (sqlite.org/datatype3.html, section 2).
///
/// ```swift
/// try store.execute("INSERT INTO jack VALUES (?, ?)", [7, "plate"])
/// ```
public enum StoreValue: Hashable, Sendable {
    /// SQL NULL.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A floating point number. NaN is stored as ``null``.
    case real(Double)
    /// Text; may contain NUL.
    case text(String)
    /// Bytes.
    case blob(Data)

    /// Storage class of a value.
    public enum Kind: UInt8, Hashable, Sendable {
        /// SQL NULL.
        case null
        /// A 64-bit integer.
        case integer
        /// A 64-bit floating point number.
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
    /// SQL NULL.
    public init(nilLiteral: ()) { self = .null }
    /// A 64-bit integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
}
