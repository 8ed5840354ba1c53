import Foundation
@_exported public import PatchbayErrors

/// Why a method could not be registered or called by its name.
public struct SelectorError: PatchbayError, Hashable {
    /// What kind of mistake it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The name and its method disagree about the number of arguments.
        public static let malformed = Code(name: "malformed", number: 1)
        /// The name is taken.
        public static let alreadyRegistered = Code(name: "alreadyRegistered", number: 2)
        /// Nothing is registered under the name.
        public static let notRegistered = Code(name: "notRegistered", number: 3)
        /// The arguments are too many, too few or of other types.
        public static let wrongArguments = Code(name: "wrongArguments", number: 4)
    }

    /// What kind of mistake it is.
    public let code: Code
    /// The name.
    public let selector: String
    /// What is wrong, for a developer.
    public let message: String

    init(_ code: Code, _ selector: String, _ message: String) {
        self.code = code
        self.selector = selector
        self.message = message
    }

    /// The name, the message and the code.
    public var description: String { "\(selector.debugDescription): \(message) [\(code)]" }
}
