import Foundation
@_exported public import PatchbayErrors

/// A mistake in a table of methods, or a call of a method that cannot be made.
public struct SelectorError: PatchbayError, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The selector.
    public let selector: String
    /// What is wrong, for a developer.
    public let message: String

    init(_ code: Code, _ selector: String, _ message: String) {
        self.code = code
        self.selector = selector
        self.message = message
    }

    /// The selector, the message and the code.
    public var description: String { "\(selector.debugDescription): \(message) [\(code)]" }
}

extension ErrorCode where Failure == SelectorError {
    /// The number of colons in the selector differs from the number of arguments.
    public static var malformed: Self { Self(1) }
    /// The selector is twice in one table.
    public static var alreadyRegistered: Self { Self(2) }
    // 3 was for selectors that are not registered, which is no error.
    /// The number or the types of the arguments are wrong.
    public static var wrongArguments: Self { Self(4) }
    /// A method of the main actor was called on another thread.
    public static var notOnMainThread: Self { Self(5) }
}
