import Foundation
@_exported public import PatchbayErrors

/// The error of storing, reading or loading settings.
///
/// `message` names settings and files, never values.
public struct ORASettingsError: PatchbayError {
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

extension ErrorCode where Failure == ORASettingsError {
    /// The module id is missing, empty or not made of ASCII letters and digits.
    public static var invalidModuleID: Self { Self(1) }
    /// The setting has no key.
    public static var invalidKey: Self { Self(2) }
    /// A value is invalid; or some values of a configuration were, and were left out.
    public static var invalidValue: Self { Self(3) }
    /// The configuration does not have the format of `oracle.json`.
    public static var invalidConfiguration: Self { Self(4) }
    /// The settings file cannot be read, and is not written until it can; or an `oracle.json` cannot be read.
    public static var unreadable: Self { Self(5) }
    /// The settings file is damaged. It was quarantined, and all settings have their defaults.
    public static var damaged: Self { Self(6) }
    /// The settings file cannot be written; the settings are unchanged.
    public static var unwritable: Self { Self(7) }
}
