import Foundation
@_exported public import PatchbayErrors

/// An error of configuring a facade, which is unchanged then.
public struct FacadeConfigurationError: PatchbayError {
    /// Error codes. Compare with `==`; more may be added.
    public struct Code: PatchbayErrorCode {
        /// The Swift name of the code.
        public let name: String
        /// The `NSError` code.
        public let number: Int

        /// The facade is already configured.
        public static let alreadyConfigured = Code(name: "alreadyConfigured", number: 1)
        /// The facade is already in use.
        public static let alreadyInUse = Code(name: "alreadyInUse", number: 2)
        /// A timeout is zero, negative or more than a hundred years, or the response size limit is negative.
        public static let invalidLimit = Code(name: "invalidLimit", number: 3)
    }

    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
