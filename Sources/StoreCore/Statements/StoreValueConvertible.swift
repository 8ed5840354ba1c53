public import Foundation

/// A type whose values can be parameters of a statement.
///
/// ```swift
/// enum Color: String, StoreValueConvertible { case red, green }
/// try store.execute("UPDATE note SET color = \(Color.red) WHERE id = ?", [id])
/// ```
///
/// Numbers, texts, `Data`, `Date`, `UUID`, `URL` and their optionals conform, represented as by a default
/// ``StoreCoding``. An enum with raw values needs no code of its own. `UInt` and `UInt64` do not conform, since SQLite
/// has no unsigned integers; convert them, or store them as text.
public protocol StoreValueConvertible {
    /// The value that is bound to the parameter.
    var storeValue: StoreValue { get }
}

extension StoreValueConvertible where Self: RawRepresentable, RawValue: StoreValueConvertible {
    /// The value of the raw value.
    public var storeValue: StoreValue { rawValue.storeValue }
}

extension StoreValue: StoreValueConvertible {
    /// The value itself.
    public var storeValue: StoreValue { self }
}

extension Optional: StoreValueConvertible where Wrapped: StoreValueConvertible {
    /// The wrapped value, or null.
    public var storeValue: StoreValue { self?.storeValue ?? .null }
}

extension Int: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension Int8: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension Int16: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension Int32: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension Int64: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension UInt8: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension UInt16: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension UInt32: StoreValueConvertible {
    /// The integer.
    public var storeValue: StoreValue { .integer(Int64(self)) }
}

extension Bool: StoreValueConvertible {
    /// The integer 1 or 0.
    public var storeValue: StoreValue { .integer(self ? 1 : 0) }
}

extension Double: StoreValueConvertible {
    /// A floating point number; NaN is null.
    public var storeValue: StoreValue { isNaN ? .null : .real(self) }
}

extension Float: StoreValueConvertible {
    /// The same number as a Double; NaN is null.
    public var storeValue: StoreValue { Double(self).storeValue }
}

extension Decimal: StoreValueConvertible {
    /// The exact number as text; NaN is null. A column of a numeric type keeps 15 digits of it.
    public var storeValue: StoreValue { isNaN ? .null : .text(description) }
}

extension String: StoreValueConvertible {
    /// The text.
    public var storeValue: StoreValue { .text(self) }
}

extension Substring: StoreValueConvertible {
    /// The text.
    public var storeValue: StoreValue { .text(String(self)) }
}

extension Data: StoreValueConvertible {
    /// A blob.
    public var storeValue: StoreValue { .blob(self) }
}

extension Date: StoreValueConvertible {
    /// Text `YYYY-MM-DD HH:MM:SS.SSS` in UTC, rounded to the millisecond.
    ///
    /// A date outside the years -4713 to 9999, which SQLite's date functions do not know, is a REAL of seconds since
    /// 1970. It sorts before all texts; an infinite one cannot be read as a date. A date that is not a number is null.
    public var storeValue: StoreValue {
        SQLiteDate.text(of: self).map(StoreValue.text) ?? timeIntervalSince1970.storeValue
    }
}

extension UUID: StoreValueConvertible {
    /// Text of 36 characters, in upper case.
    public var storeValue: StoreValue { .text(uuidString) }
}

extension URL: StoreValueConvertible {
    /// The absolute URL as text.
    public var storeValue: StoreValue { .text(absoluteString) }
}
