/// Why a method could not be registered or called by its name.
public struct SelectorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// The name and its method disagree about the number of arguments.
        public static let malformed = Code("malformed")
        /// The name is taken.
        public static let alreadyRegistered = Code("alreadyRegistered")
        /// Nothing is registered under the name.
        public static let notRegistered = Code("notRegistered")
        /// The arguments are too many, too few or of other types.
        public static let wrongArguments = Code("wrongArguments")
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
