import Foundation
@_exported public import PatchbayErrors

/// Error in an HTTP message or a part of one: invalid, unreadable, or not sendable.
///
/// ``message`` never contains a field value, a query or a body, because those may be secret.
public struct HTTPMessageError: PatchbayError, Hashable {
    /// The kind of error. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name of the constant in Swift.
        public let name: String
        /// The code of the `NSError`.
        public let number: Int

        /// The method is not a token (RFC 9110, section 9.1).
        public static let invalidMethod = Code(name: "invalidMethod", number: 1)
        /// The field name is not a token (RFC 9110, section 5.1).
        public static let invalidFieldName = Code(name: "invalidFieldName", number: 2)
        /// The field value contains CR, LF, NUL or another control character (RFC 9110, section 5.5).
        public static let invalidFieldValue = Code(name: "invalidFieldValue", number: 3)
        /// The string is not a valid URL (RFC 3986).
        public static let invalidURL = Code(name: "invalidURL", number: 4)
        /// The URL's scheme is not `http` or `https`.
        public static let unsupportedScheme = Code(name: "unsupportedScheme", number: 5)
        /// The URL contains a user or a password.
        public static let userInfoInURL = Code(name: "userInfoInURL", number: 6)
        /// The method does not allow a body.
        public static let bodyNotAllowed = Code(name: "bodyNotAllowed", number: 7)
        /// A timeout is negative, zero, not a number, or more than 100 years.
        public static let invalidTimeout = Code(name: "invalidTimeout", number: 8)
        /// The string is not a valid media type.
        public static let invalidMediaType = Code(name: "invalidMediaType", number: 9)
        /// The body's file cannot be read, or is not a regular file.
        public static let unreadableFile = Code(name: "unreadableFile", number: 10)
        /// A stream body, which can be read only once, was read a second time.
        public static let bodyAlreadyRead = Code(name: "bodyAlreadyRead", number: 11)
        /// A body has more or fewer bytes than its stated length, or more than a limit.
        public static let bodyLengthMismatch = Code(name: "bodyLengthMismatch", number: 12)
        /// The input is not valid JSON, or the value cannot be encoded as JSON.
        public static let invalidJSON = Code(name: "invalidJSON", number: 13)
    }

    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String

    /// Creates an error. `message` must not contain secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
