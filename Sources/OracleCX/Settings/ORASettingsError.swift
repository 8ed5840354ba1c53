import Foundation
@_exported public import PatchbayErrors

/// Why a setting could not be stored or read.
///
/// `message` names settings and files, and never a value.
public struct ORASettingsError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The module id is missing, empty or holds something else than letters and digits.
        public static let invalidModuleID = Code(name: "invalidModuleID", number: 1)
        /// The setting has no name.
        public static let invalidKey = Code(name: "invalidKey", number: 2)
        /// The setting does not take the value; or some settings did not take those of a configuration, which were left
        /// out.
        public static let invalidValue = Code(name: "invalidValue", number: 3)
        /// The configuration to load is not of the form of `oracle.json`.
        public static let invalidConfiguration = Code(name: "invalidConfiguration", number: 4)
        /// The file cannot be read just now. Nothing is written until it can be. Or an `oracle.json` cannot be read.
        public static let unreadable = Code(name: "unreadable", number: 5)
        /// The file holds something else than settings. It was set aside, and the settings have their defaults.
        public static let damaged = Code(name: "damaged", number: 6)
        /// The file cannot be written. The settings stay as they were.
        public static let unwritable = Code(name: "unwritable", number: 7)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened and what to do about it, for a developer.
    public let message: String
    /// What lies beneath, such as an error of the file system.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}
