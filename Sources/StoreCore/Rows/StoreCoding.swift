/// How records and rows represent the types that SQLite has no storage class for.
///
/// ```swift
/// var coding = StoreCoding()
/// coding.keys = .snakeCase
/// try store.insert(note, into: "note", coding: coding)
/// ```
///
/// Fixed for all codings: `Bool` is the integer 0 or 1; `URL` is text; `Data` is a blob; `Decimal` is text; nil is
/// null; an array, a dictionary or a nested value is JSON text. A parameter of a statement uses the default coding.
///
/// A record with NaN is refused, since SQLite would store null for it. So is one with a `Decimal` of more than 15
/// digits for a column of a numeric type, which would round it.
public struct StoreCoding: Hashable, Sendable {
    /// Representation of a `Date`.
    @nonexhaustive public enum Dates: Hashable, Sendable {
        /// Text `YYYY-MM-DD HH:MM:SS.SSS` in UTC, rounded to the millisecond; SQLite's date functions read it.
        case text
        /// A REAL: seconds since 1970.
        ///
        /// Foundation counts from 2001, and a REAL of 1970 has one or two bits fewer for the fraction. So the date that
        /// is read may differ by 0.12 microseconds, until 2038. One that was made from seconds since 1970 is exact.
        case unixSeconds
        /// An INTEGER: milliseconds since 1970, rounded.
        case unixMilliseconds
        /// A REAL: seconds since 2001, as Foundation and Core Data count them. Each date is read as it was written.
        case referenceSeconds
    }

    /// Representation of a `UUID`.
    @nonexhaustive public enum UUIDs: Hashable, Sendable {
        /// Text of 36 characters, in upper case.
        case text
        /// Text of 36 characters, in lower case, as many servers write it.
        ///
        /// A parameter of a statement is `\(id.uuidString.lowercased())` then.
        case lowercaseText
        /// A blob of 16 bytes.
        case blob
    }

    /// Relation of a property's name to its column's name.
    @nonexhaustive public enum Keys: Hashable, Sendable {
        /// The same name.
        case asWritten
        /// `isPinned` is the column `is_pinned`, and `sourceURL` is `source_url`.
        case snakeCase
    }

    /// The representation of dates; default text.
    public var dates: Dates
    /// The representation of UUIDs; default text.
    public var uuids: UUIDs
    /// The names of columns; default the properties' names.
    public var keys: Keys

    /// Creates a coding.
    public init(dates: Dates = .text, uuids: UUIDs = .text, keys: Keys = .asWritten) {
        self.dates = dates
        self.uuids = uuids
        self.keys = keys
    }
}
