public import Foundation

/// A type whose values may stand in the literal of a ``Query``: texts, integers, Booleans, UUIDs and ``QueryFlag``.
///
/// Numbers with a fraction and dates have several texts; write them by ``Query/append(_:encoding:style:)``, which also
/// refuses infinity.
public protocol QueryConvertible {
    /// The value in a query, before it is encoded; nil for a name without a value.
    var queryText: String? { get }
}

extension QueryConvertible where Self: LosslessStringConvertible {
    /// The description.
    public var queryText: String? { description }
}

extension String: QueryConvertible {
    /// The string itself.
    public var queryText: String? { self }
}
extension Substring: QueryConvertible {}
extension Int: QueryConvertible {}
extension Int32: QueryConvertible {}
extension Int64: QueryConvertible {}
extension UInt: QueryConvertible {}
extension UInt32: QueryConvertible {}
extension UInt64: QueryConvertible {}
extension Bool: QueryConvertible {}
extension UUID: QueryConvertible {
    /// The UUID as Foundation writes it, in upper case.
    public var queryText: String? { uuidString }
}

/// A name without a value, in the literal of a ``Query``: `["archived": .flag]` is `?archived`.
public struct QueryFlag: QueryConvertible, Hashable, Sendable {
    /// Creates a flag.
    public init() {}
    /// Nil.
    public var queryText: String? { nil }
}

extension QueryConvertible where Self == QueryFlag {
    /// A name without a value: `["archived": .flag]` is `?archived`.
    public static var flag: QueryFlag { QueryFlag() }
}
