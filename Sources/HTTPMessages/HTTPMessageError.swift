import Foundation
@_exported public import PatchbayErrors

/// Error in an HTTP message or a part of one: invalid, unreadable, or not sendable.
///
/// ``message`` never contains a field value, a query or a body, because those may be secret.
public struct HTTPMessageError: ValueFreeError, Hashable {
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

extension ErrorCode where Failure == HTTPMessageError {
    /// The method is not a token (RFC 9110, section 9.1).
    public static var invalidMethod: Self { Self(1) }
    /// The field name is not a token (RFC 9110, section 5.1).
    public static var invalidFieldName: Self { Self(2) }
    /// The field value contains CR, LF, NUL or another control character (RFC 9110, section 5.5).
    public static var invalidFieldValue: Self { Self(3) }
    /// The string is not a valid URL (RFC 3986).
    public static var invalidURL: Self { Self(4) }
    /// The URL's scheme is not `http` or `https`.
    public static var unsupportedScheme: Self { Self(5) }
    /// The URL contains a user or a password.
    public static var userInfoInURL: Self { Self(6) }
    /// The method does not allow a body.
    public static var bodyNotAllowed: Self { Self(7) }
    /// A timeout is negative, zero, not a number, or more than 100 years.
    public static var invalidTimeout: Self { Self(8) }
    /// The string is not a valid media type.
    public static var invalidMediaType: Self { Self(9) }
    /// The body's file cannot be read, or is not a regular file.
    public static var unreadableFile: Self { Self(10) }
    /// A stream body, which can be read only once, was read a second time.
    public static var bodyAlreadyRead: Self { Self(11) }
    /// A body has more or fewer bytes than its stated length, or more than a limit.
    public static var bodyLengthMismatch: Self { Self(12) }
    /// The value cannot be encoded as JSON.
    public static var invalidJSON: Self { Self(13) }
    /// A value in a path is empty, a dot segment, not a finite number, or contains a control character.
    public static var invalidPathValue: Self { Self(14) }
    /// A value cannot be written as parameters of a query or a form, or be read from them.
    public static var invalidQueryValue: Self { Self(15) }
    /// The text is not a structured field (RFC 9651), or a value cannot be written as one.
    public static var invalidStructuredField: Self { Self(16) }
    // 17 is reserved: it was that of a call with two bodies.
    /// The public suffix list cannot be read, or is not one.
    public static var invalidSuffixList: Self { Self(18) }
    /// A line of a cookie file is damaged.
    public static var invalidCookieFile: Self { Self(19) }
    /// A row of a table has more or fewer cells than its header.
    public static var invalidRow: Self { Self(20) }
}
