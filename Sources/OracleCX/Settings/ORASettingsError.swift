import Foundation
@_exported public import PatchbayErrors

/// The error of storing, reading or loading settings.
///
/// `message` names settings and files, never values.
public struct ORASettingsError: PatchbayError {
    /// Error codes. Compare with `==`; more may be added.
    public struct Code: PatchbayErrorCode {
        /// The Swift name of the code.
        public let name: String
        /// The `NSError` code.
        public let number: Int

        /// The module id is missing, empty or not made of ASCII letters and digits.
        public static let invalidModuleID = Code(name: "invalidModuleID", number: 1)
        /// The setting has no key.
        public static let invalidKey = Code(name: "invalidKey", number: 2)
        /// A value is invalid; or some values of a configuration were, and were left out.
        public static let invalidValue = Code(name: "invalidValue", number: 3)
        /// The configuration does not have the format of `oracle.json`.
        public static let invalidConfiguration = Code(name: "invalidConfiguration", number: 4)
        /// The settings file cannot be read, and is not written until it can; or an `oracle.json` cannot be read.
        public static let unreadable = Code(name: "unreadable", number: 5)
        /// The settings file is damaged. It was quarantined, and all settings have their defaults.
        public static let damaged = Code(name: "damaged", number: 6)
        /// The settings file cannot be written; the settings are unchanged.
        public static let unwritable = Code(name: "unwritable", number: 7)
    }

    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The cause, such as a file system error.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}
