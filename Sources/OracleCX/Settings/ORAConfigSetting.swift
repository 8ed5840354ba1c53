/// A setting: name, description, default and validation.
///
/// For an app's own setting, subclass it and override all four methods, as in the vendor's guide:
///
/// ```swift
/// final class Region: ORAConfigSetting {
///     override func keyName() -> String { "my_region" }
///     override func keyDescription() -> String { "The server region" }
///     override func getDefaultValue() -> String { "north" }
///     override func isValid(_ value: String) -> Bool { ["north", "south"].contains(value) }
/// }
/// ```
/// Values are stored in an ``ORABaseDataContainer``, not in the setting. Methods are called on any thread.
open class ORAConfigSetting {
    /// Creates a setting.
    public init() {}

    /// The key in the store and in `oracle.json`. A value of a setting without a key cannot be stored.
    open func keyName() -> String? { nil }

    /// A description for people.
    open func keyDescription() -> String? { nil }

    /// The value if none is stored; default nil.
    open func getDefaultValue() -> String? { nil }

    /// Whether a value is valid; default true.
    open func isValid(_ value: String) -> Bool { true }
}

/// A setting of the core module, stored in ``ORACoreDataContainer``.
open class ORACoreConfigSetting: ORAConfigSetting {}

/// A setting with the value `true` or `false`, in lower case.
open class ORABooleanSetting: ORACoreConfigSetting {
    /// `false`, unless a subclass overrides it.
    open override func getDefaultValue() -> String? { "false" }

    /// True for `true` and `false`.
    open override func isValid(_ value: String) -> Bool { value == "true" || value == "false" }
}
