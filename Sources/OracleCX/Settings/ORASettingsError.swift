/// Why a setting could not be stored or read.
///
/// `message` names settings and files, and never a value.
public struct ORASettingsError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// The module id is missing, empty or holds something else than letters and digits.
        public static let invalidModuleID = Code("invalidModuleID")
        /// The setting has no name.
        public static let invalidKey = Code("invalidKey")
        /// The setting does not take the value; or some settings did not take those of a configuration, which were left
        /// out.
        public static let invalidValue = Code("invalidValue")
        /// The configuration to load is not of the form of `oracle.json`.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The file cannot be read just now. Nothing is written until it can be. Or an `oracle.json` cannot be read.
        public static let unreadable = Code("unreadable")
        /// The file holds something else than settings. It was set aside, and the settings have their defaults.
        public static let damaged = Code("damaged")
        /// The file cannot be written. The settings stay as they were.
        public static let unwritable = Code("unwritable")
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

    /// The message with its code.
    public var description: String { "\(message) [\(code)]" }
}
