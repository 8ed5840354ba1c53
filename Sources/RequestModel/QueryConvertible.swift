public import Foundation

/// A type whose values may stand in the literal of a ``Query``: texts, numbers, Booleans, UUIDs and ``QueryFlag``.
///
/// An enumeration with raw values needs no more than `extension State: QueryConvertible {}`. Dates and arrays have
/// several forms; write them by ``Query/append(_:encoding:style:)``, which also refuses infinity: a literal has `inf`.
public protocol QueryConvertible {
    /// The value in a query, before it is encoded; nil for a name without a value.
    var queryText: String? { get }
}

extension QueryConvertible where Self: LosslessStringConvertible {
    /// The description.
    public var queryText: String? { description }
}

extension QueryConvertible where Self: RawRepresentable, RawValue: QueryConvertible {
    /// The text of the raw value.
    public var queryText: String? { rawValue.queryText }
}

extension QueryConvertible where Self: RawRepresentable & LosslessStringConvertible, RawValue: QueryConvertible {
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
extension Double: QueryConvertible {}
extension Float: QueryConvertible {}
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
