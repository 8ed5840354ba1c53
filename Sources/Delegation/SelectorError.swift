import Foundation
@_exported public import PatchbayErrors

/// A failure to register a method or to call it by its selector.
public struct SelectorError: PatchbayError, Hashable {
    /// The kind of failure. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name of the static member.
        public let name: String
        /// The `NSError` code.
        public let number: Int

        /// The number of colons in the selector differs from the number of arguments.
        public static let malformed = Code(name: "malformed", number: 1)
        /// The selector is registered already.
        public static let alreadyRegistered = Code(name: "alreadyRegistered", number: 2)
        /// The selector is not registered.
        public static let notRegistered = Code(name: "notRegistered", number: 3)
        /// The number or the types of the arguments are wrong.
        public static let wrongArguments = Code(name: "wrongArguments", number: 4)
    }

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
