/// The persistent settings of one module.
///
/// For an app's own module, subclass it and override ``getModuleId()`` and ``getConfig(_:)``. Containers of one module
/// share their values. Thread-safe.
///
/// With an invalid module id the vendor terminates the app. Here ``putValue(_:forKey:)`` returns false,
/// ``setValue(_:for:)`` throws, and reading returns the default.
open class ORABaseDataContainer {
    /// The store of the values.
    public let store: ORASettingsStore

    /// Creates a container over ``ORASettingsStore/shared``.
    public init() { store = .shared }

    /// Creates a container over a store.
    public init(store: ORASettingsStore) { self.store = store }

    /// The module id: one or more ASCII letters and digits. Override it.
    open func getModuleId() -> String? { nil }

    /// Returns the setting with a name, or nil if it is unknown; used to validate `oracle.json`. Override it.
    open func getConfig(_ key: String) -> ORAConfigSetting? { nil }

    /// Stores a value persistently.
    /// - Returns: false if the value is invalid or cannot be written; ``setValue(_:for:)`` throws the reason.
    @discardableResult
    public func putValue(_ value: String, forKey key: ORAConfigSetting) -> Bool {
        do throws(ORASettingsError) {
            try setValue(value, for: key)
            return true
        } catch {
            return false
        }
    }

    /// Returns the stored value, or the setting's default if none valid is stored.
    public func getValue(_ key: ORAConfigSetting) -> String? {
        applyConfiguration()
        let stored = try? store.value(of: ModuleKey(self, key))
        return stored.flatMap { key.isValid($0) ? $0 : nil } ?? key.getDefaultValue()
    }

    /// Stores a value persistently.
    /// - Throws: ``ORASettingsError`` (`invalidModuleID`, `invalidKey`, `invalidValue`, `unreadable`, `unwritable`);
    ///   nothing changes then.
    public func setValue(_ value: String, for key: ORAConfigSetting) throws(ORASettingsError) {
        let moduleKey = try ModuleKey(self, key)
        guard key.isValid(value) else {
            throw ORASettingsError(
                .invalidValue, "Invalid value for setting \(moduleKey.key); see its isValid(_:).")
        }
        applyConfiguration()
        try store.set(value, for: moduleKey)
    }
}

extension ModuleKey {
    fileprivate init(_ container: ORABaseDataContainer, _ setting: ORAConfigSetting) throws(ORASettingsError) {
        guard let key = setting.keyName(), !key.isEmpty else {
            throw ORASettingsError(.invalidKey, "The setting has no name; override keyName().")
        }
        self.init(module: try ModuleID(container.getModuleId()), key: key)
    }
}
