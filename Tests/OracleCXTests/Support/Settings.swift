import OracleCX

/// A setting of a program's own, as the vendor's guide makes one.
final class Region: ORAConfigSetting {
    override func keyName() -> String { "my_region" }
    override func keyDescription() -> String { "Which server is asked" }
    override func getDefaultValue() -> String { "north" }
    override func isValid(_ value: String) -> Bool { ["north", "south"].contains(value) }
}

/// A setting that says nothing of itself.
final class Nameless: ORAConfigSetting {}

/// A module of a program's own.
final class ProgramContainer: ORABaseDataContainer {
    private let id: String?

    init(_ id: String? = "MYMODULE", store: ORASettingsStore) {
        self.id = id
        super.init(store: store)
    }

    override func getModuleId() -> String? { id }
    override func getConfig(_ key: String) -> ORAConfigSetting? { key == "my_region" ? Region() : nil }
}
