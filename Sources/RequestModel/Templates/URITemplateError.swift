import Foundation
@_exported public import PatchbayErrors

/// Error in a URI template, or in the values for one. ``message`` quotes the template, and no value.
public struct URITemplateError: PatchbayError, Hashable {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// Offset of the first wrong byte in the template's UTF-8, for `invalidTemplate`.
    public let offset: Int?
    /// The name of the variable, for errors of values.
    public let variable: String?

    init(_ code: Code, _ message: String, offset: Int? = nil, variable: String? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
        self.variable = variable
    }
}

extension ErrorCode where Failure == URITemplateError {
    /// The text is not a URI template (RFC 6570, section 2); see ``URITemplateError/offset``.
    public static var invalidTemplate: Self { Self(1) }
    /// A variable of the template has no value, not even nil.
    public static var missingValue: Self { Self(2) }
    /// The template has no variable for a value, or a value is given twice.
    public static var unknownValue: Self { Self(3) }
    /// A value is not finite, is no text where the template asks for its start, or names another path.
    public static var invalidValue: Self { Self(4) }
}
