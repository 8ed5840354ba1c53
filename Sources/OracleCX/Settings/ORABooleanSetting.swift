/// A setting that is on or off: its value is `true` or `false`, in these letters.
open class ORABooleanSetting: ORACoreConfigSetting {
    /// `false`, unless a subclass says otherwise.
    open override func getDefaultValue() -> String? { "false" }

    /// True for `true` and `false`.
    open override func isValid(_ value: String) -> Bool { value == "true" || value == "false" }
}
