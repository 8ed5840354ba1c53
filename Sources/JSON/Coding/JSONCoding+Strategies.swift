public import Foundation

extension JSONCoding {
    /// Form of dates.
    @nonexhaustive public enum Dates: Sendable {
        /// As `Date` codes itself: seconds since 2001-01-01.
        case deferredToDate
        /// Seconds since 1970-01-01.
        case secondsSince1970
        /// Milliseconds since 1970-01-01.
        case millisecondsSince1970
        /// ISO 8601 (RFC 3339); fractions of a second are read, and not written.
        case iso8601
        /// ISO 8601 (RFC 3339) with milliseconds.
        case iso8601WithMilliseconds
        /// Text in the format of a formatter; do not change it afterwards.
        case formatted(DateFormatter)
        /// Functions of the app.
        case custom(
            decode: @Sendable (any Decoder) throws -> Date, encode: @Sendable (Date, any Encoder) throws -> Void)
    }

    /// Form of `Data`.
    @nonexhaustive public enum DataForm: Sendable {
        /// Text in Base64 (RFC 4648, section 4).
        case base64
        /// As `Data` codes itself: an array of bytes.
        case deferredToData
        /// Functions of the app.
        case custom(
            decode: @Sendable (any Decoder) throws -> Data, encode: @Sendable (Data, any Encoder) throws -> Void)
    }

    /// Names of the members of objects. The keys of a dictionary with `String` keys are never converted.
    @nonexhaustive public enum Keys: Sendable {
        /// The names of the coding keys.
        case unchanged
        /// `snake_case` in JSON and `camelCase` in Swift, by the rules of Foundation.
        case snakeCase
        /// Functions of the app, which get the whole coding path.
        case custom(
            decode: @Sendable ([any CodingKey]) -> any CodingKey, encode: @Sendable ([any CodingKey]) -> any CodingKey)
    }

    /// Form of infinity and NaN.
    @nonexhaustive public enum NonConformingFloats: Hashable, Sendable {
        /// An error.
        case fail
        /// Strings.
        case strings(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}
