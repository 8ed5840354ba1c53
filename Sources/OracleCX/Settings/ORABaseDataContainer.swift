/// The settings of one module, kept across launches.
///
/// The program's own modules are subclasses that override ``getModuleId()`` and ``getConfig(_:)``. Containers of one
/// module share their values. May be used from any thread.
///
/// The vendor ends the app when a module id is empty, missing or holds anything but letters and digits. Nothing ends
/// here: ``putValue(_:forKey:)`` is false then, ``setValue(_:for:)`` says why, and reading gives the default.
open class ORABaseDataContainer {
    /// Where the values are.
    public let store: ORASettingsStore

    /// A container whose values are in the program's store.
    public init() { store = .shared }

    /// A container whose values are in a store of your own.
    public init(store: ORASettingsStore) { self.store = store }

    /// The module's name: letters and digits of ASCII, at least one. To be overridden.
    open func getModuleId() -> String? { nil }

    /// The setting of a name, by which values from `oracle.json` are checked; nil for one that is not known. To be
    /// overridden. Here no setting is known.
    open func getConfig(_ key: String) -> ORAConfigSetting? { nil }

    /// Stores a value, to be there at the next launch too.
    /// - Returns: true if it was stored; false if the setting does not take it, or it could not be written.
    ///   ``setValue(_:for:)`` says why.
    @discardableResult
    public func putValue(_ value: String, forKey key: ORAConfigSetting) -> Bool {
        do throws(ORASettingsError) {
            try setValue(value, for: key)
            return true
        } catch {
            return false
        }
    }

    /// The stored value, or the setting's default where none is stored or the setting no longer takes it.
    public func getValue(_ key: ORAConfigSetting) -> String? {
        applyConfiguration()
        let stored = try? store.value(of: ModuleKey(self, key))
        return stored.flatMap { key.isValid($0) ? $0 : nil } ?? key.getDefaultValue()
    }

    /// Stores a value, to be there at the next launch too.
    /// - Throws: ``ORASettingsError`` (`invalidModuleID`, `invalidKey`, `invalidValue`, `unreadable`, `unwritable`);
    ///   then nothing changes.
    public func setValue(_ value: String, for key: ORAConfigSetting) throws(ORASettingsError) {
        let moduleKey = try ModuleKey(self, key)
        guard key.isValid(value) else {
            throw ORASettingsError(
                .invalidValue, "The setting \(moduleKey.key) does not take that value; see its isValid(_:).")
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
