import Foundation
import OracleCX

extension ORASettingsStore {
    /// A store whose file does not exist, for tests that depend neither on the user's settings nor on other tests.
    static var empty: ORASettingsStore {
        ORASettingsStore(file: FileManager.default.temporaryDirectory.appending(path: UUID().uuidString))
    }
}

/// An app's setting, as in the vendor's guide.
final class Region: ORAConfigSetting {
    override func keyName() -> String { "my_region" }
    override func keyDescription() -> String { "The server region" }
    override func getDefaultValue() -> String { "north" }
    override func isValid(_ value: String) -> Bool { ["north", "south"].contains(value) }
}

/// A setting without overrides.
final class Nameless: ORAConfigSetting {}

/// An app's module.
final class ProgramContainer: ORABaseDataContainer {
    private let id: String?

    init(_ id: String? = "MYMODULE", store: ORASettingsStore) {
        self.id = id
        super.init(store: store)
    }

    override func getModuleId() -> String? { id }
    override func getConfig(_ key: String) -> ORAConfigSetting? { key == "my_region" ? Region() : nil }
}
