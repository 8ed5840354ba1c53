import Foundation
@_exported public import PatchbayErrors

/// Error while reading or writing JSON.
///
/// ``message`` never contains a part of the input or of a value, because those may be secret.
public struct JSONError: PatchbayError, Hashable {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The place in the decoded text; nil when unknown, and for errors of writing.
    public var location: JSONLocation?
    /// What is wrong with a rejected value, for the end of a message; nil where the decoding error says it.
    package var problem: String?

    /// Creates an error. `message` must not contain secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ErrorCode where Failure == JSONError {
    /// The input is not valid JSON (RFC 8259), or is nested too deep: 100 levels, for ``JSONCoding`` 512.
    public static var invalidSyntax: Self { Self(1) }
    /// The value cannot be written as JSON: infinity, NaN, another type, or nested more than 100 levels deep.
    public static var invalidValue: Self { Self(2) }
    /// Memory for the JSON text cannot be allocated.
    public static var outOfMemory: Self { Self(3) }
    /// The value does not match the type that it is decoded into.
    public static var unexpectedValue: Self { Self(4) }
}
