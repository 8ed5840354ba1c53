/// Why a message, or a part of one, could not be made, read or sent as it is.
///
/// Thrown before anything reaches the network. `message` says what to change; it never holds a field's value, a query
/// or a body, because those may be secret.
public struct HTTPMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// The method is not a token (RFC 9110, section 9.1).
        public static let invalidMethod = Code("invalidMethod")
        /// The field name is not a token (RFC 9110, section 5.1).
        public static let invalidFieldName = Code("invalidFieldName")
        /// The field value holds CR, LF, NUL or another control character (RFC 9110, section 5.5).
        public static let invalidFieldValue = Code("invalidFieldValue")
        /// The text is not a URL (RFC 3986).
        public static let invalidURL = Code("invalidURL")
        /// The URL's scheme is not `http` or `https`.
        public static let unsupportedScheme = Code("unsupportedScheme")
        /// The URL names a user or a password.
        public static let userInfoInURL = Code("userInfoInURL")
        /// The method does not take a body.
        public static let bodyNotAllowed = Code("bodyNotAllowed")
        /// A timeout is negative, zero or too large to count.
        public static let invalidTimeout = Code("invalidTimeout")
        /// The text is not a media type.
        public static let invalidMediaType = Code("invalidMediaType")
        /// The body's file cannot be read, or is not a regular file.
        public static let unreadableFile = Code("unreadableFile")
        /// A body that can be read only once was read a second time.
        public static let bodyAlreadyRead = Code("bodyAlreadyRead")
        /// A body gave more or fewer bytes than its stated length.
        public static let bodyLengthMismatch = Code("bodyLengthMismatch")
        /// The text is not JSON, or the value cannot be written as JSON.
        public static let invalidJSON = Code("invalidJSON")
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

    /// The message with its code.
    public var description: String { "\(message) [\(code)]" }
}
