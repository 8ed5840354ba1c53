import Foundation
@_exported public import PatchbayErrors

/// Why a message, or a part of one, could not be made, read or sent as it is.
///
/// Thrown before anything reaches the network. `message` says what to change; it never holds a field's value, a query
/// or a body, because those may be secret.
public struct HTTPMessageError: PatchbayError, Hashable {
    /// What kind of mistake it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The method is not a token (RFC 9110, section 9.1).
        public static let invalidMethod = Code(name: "invalidMethod", number: 1)
        /// The field name is not a token (RFC 9110, section 5.1).
        public static let invalidFieldName = Code(name: "invalidFieldName", number: 2)
        /// The field value holds CR, LF, NUL or another control character (RFC 9110, section 5.5).
        public static let invalidFieldValue = Code(name: "invalidFieldValue", number: 3)
        /// The text is not a URL (RFC 3986).
        public static let invalidURL = Code(name: "invalidURL", number: 4)
        /// The URL's scheme is not `http` or `https`.
        public static let unsupportedScheme = Code(name: "unsupportedScheme", number: 5)
        /// The URL names a user or a password.
        public static let userInfoInURL = Code(name: "userInfoInURL", number: 6)
        /// The method does not take a body.
        public static let bodyNotAllowed = Code(name: "bodyNotAllowed", number: 7)
        /// A timeout is negative, zero or too large to count.
        public static let invalidTimeout = Code(name: "invalidTimeout", number: 8)
        /// The text is not a media type.
        public static let invalidMediaType = Code(name: "invalidMediaType", number: 9)
        /// The body's file cannot be read, or is not a regular file.
        public static let unreadableFile = Code(name: "unreadableFile", number: 10)
        /// A body that can be read only once was read a second time.
        public static let bodyAlreadyRead = Code(name: "bodyAlreadyRead", number: 11)
        /// A body gave more or fewer bytes than its stated length.
        public static let bodyLengthMismatch = Code(name: "bodyLengthMismatch", number: 12)
        /// The text is not JSON, or the value cannot be written as JSON.
        public static let invalidJSON = Code(name: "invalidJSON", number: 13)
    }

    /// What kind of mistake it is.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
