/// One setting: its name, what it is for, its default and which values it takes.
///
/// The program's own settings are subclasses that override all four methods, as the vendor's guide says:
///
/// ```swift
/// final class Region: ORAConfigSetting {
///     override func keyName() -> String { "my_region" }
///     override func keyDescription() -> String { "Which server is asked" }
///     override func getDefaultValue() -> String { "north" }
///     override func isValid(_ value: String) -> Bool { ["north", "south"].contains(value) }
/// }
/// ```
/// A setting has no value of its own; a container has (``ORABaseDataContainer``). Its methods may be called on any thread.
open class ORAConfigSetting {
    /// A setting.
    public init() {}

    /// The name under which values are stored, and which `oracle.json` uses. A setting without one cannot be stored.
    open func keyName() -> String? { nil }

    /// What the setting is for, in words.
    open func keyDescription() -> String? { nil }

    /// The value where none is stored; nil means that there is none.
    open func getDefaultValue() -> String? { nil }

    /// True when the setting takes a value. Here it takes any.
    open func isValid(_ value: String) -> Bool { true }
}
