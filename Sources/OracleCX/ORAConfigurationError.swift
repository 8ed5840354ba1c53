import Foundation
@_exported public import PatchbayErrors

/// Why ``ORAHTTPManager`` could not be configured.
public struct ORAConfigurationError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The shared manager was configured before.
        public static let alreadyConfigured = Code(name: "alreadyConfigured", number: 1)
        /// The shared manager was used before it was configured.
        public static let alreadyInUse = Code(name: "alreadyInUse", number: 2)
        /// A timeout is zero, negative or more than a hundred years, or the response size limit is negative.
        public static let invalidLimit = Code(name: "invalidLimit", number: 3)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
