public import Foundation
import HTTPMessages

// The name of the first method is that of the vendor's Android client.

extension ORABaseDataContainer {
    /// Applies the values for this module from `oracle.json` in the program's bundle, if they are newer than those that
    /// were applied last.
    ///
    /// The program's store does that before it reads or stores the first value of a module, so there is no need to call
    /// this. What is wrong with the file, or which values their settings refused, is in the store's
    /// ``ORASettingsStore/problem`` afterwards. A refused value is not tried again before the file has a higher version.
    /// - Returns: true if values were stored since the program was launched; false also when there is no such file.
    @discardableResult
    public func loadFromConfigFile() -> Bool {
        if store.configuration != nil {
            applyConfiguration()
            return (try? ModuleID(getModuleId())).flatMap(store.configured) ?? false
        }
        return ORASettingsStore.bundledConfiguration.map(loadConfigFile) ?? false
    }

    /// Applies the store's `oracle.json`, if it was not looked at for this module yet.
    ///
    /// Threads that come at the same time may all do it: the version lets only one of them change values.
    func applyConfiguration() {
        guard let file = store.configuration, let id = try? ModuleID(getModuleId()), store.configured(id) == nil,
            !ConfigurationInProgress.modules.contains(id)
        else { return }
        // `getConfig(_:)` and `isValid(_:)` may read values themselves.
        let modules = ConfigurationInProgress.modules.union([id])
        switch ConfigurationInProgress.$modules.withValue(modules, operation: { apply(file) }) {
        case .success(let isApplied):
            store.setConfigured(id, isApplied)
        case .failure(let error):
            // A file that could not be read or written just now is tried again.
            if error.code != .unreadable, error.code != .unwritable { store.setConfigured(id, false) }
        }
    }

    /// - Returns: true if values were stored; the store's problem says why not, unless they are not newer.
    func loadConfigFile(_ file: URL) -> Bool { (try? apply(file).get()) ?? false }

    /// Applies a file, and reports to the store what is wrong with it.
    private func apply(_ file: URL) -> Result<Bool, ORASettingsError> {
        let result = Result { () throws(ORASettingsError) in try load(contentsOf: file) }
        switch result {
        case .success(let load) where load.isApplied && !load.refusedKeys.isEmpty:
            let keys = load.refusedKeys.joined(separator: ", ")
            store.report(
                ORASettingsError(
                    .invalidValue,
                    "\(file.path): the values for \(keys) are not valid; correct them and raise config_version."))
        case .success: break
        case .failure(let error): store.report(error)
        }
        return result.map(\.isApplied)
    }

    /// Applies the values for this module from an `oracle.json`, as ``load(_:)`` does.
    /// - Throws: ``ORASettingsError`` (`invalidConfiguration`, `invalidModuleID`, `unreadable`, `unwritable`), which names
    ///   the file, and what is wrong with it and where.
    @discardableResult
    public func load(contentsOf file: URL) throws(ORASettingsError) -> ORABulkLoad {
        applyConfiguration()
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ORASettingsError(.unreadable, "\(file.path) cannot be read.", underlying: error)
        }
        return try load(data, from: file.path)
    }

    /// Applies the values for this module from the contents of an `oracle.json`, if they are newer than those that were
    /// applied last.
    ///
    /// ```
    /// {"config_version": 2, "ORACORE": {"ora_dc_http_background_task_enabled": "true"}}
    /// ```
    /// A version is a whole number from 1 up, and each module remembers its own. Values are stored as texts: numbers and
    /// Booleans as they are written, arrays and objects as JSON; null is skipped. A value that its setting
    /// (``getConfig(_:)``) refuses is left out; one for an unknown setting is stored, and checked when it is read. All
    /// values of the module are stored, or none.
    /// - Throws: ``ORASettingsError`` (`invalidConfiguration`, `invalidModuleID`, `unreadable`, `unwritable`).
    @discardableResult
    public func load(_ configuration: Data) throws(ORASettingsError) -> ORABulkLoad {
        // The order is that of every launch: the program's own file first.
        applyConfiguration()
        return try load(configuration, from: "The configuration")
    }

    /// - Parameter source: names the configuration in errors.
    private func load(_ configuration: Data, from source: String) throws(ORASettingsError) -> ORABulkLoad {
        let id = try ModuleID(getModuleId())
        let root = try parse(configuration, from: source)
        guard root.object != nil else {
            throw ORASettingsError(.invalidConfiguration, "\(source): the JSON is not an object.")
        }
        guard let version = root["config_version"]?.wholeNumber, version >= 1 else {
            let problem = root["config_version"].map { _ in "is not a whole number from 1 up" } ?? "is missing"
            throw ORASettingsError(.invalidConfiguration, "\(source): config_version \(problem).")
        }
        guard let module = root[id.text] else { return ORABulkLoad(isApplied: false, refusedKeys: []) }
        guard let members = module.object else {
            throw ORASettingsError(.invalidConfiguration, "\(source): the value of \(id.text) is not an object.")
        }
        var values: [String: String] = [:]
        var refused: [String] = []
        for (key, value) in members {
            guard let text = value.settingText else { continue }
            if getConfig(key)?.isValid(text) ?? true { values[key] = text } else { refused.append(key) }
        }
        let isApplied = try store.load(values, version: version, into: id)
        return ORABulkLoad(isApplied: isApplied, refusedKeys: refused.sorted())
    }

    private func parse(_ configuration: Data, from source: String) throws(ORASettingsError) -> JSONValue {
        do {
            return try JSONValue(parsing: configuration)
        } catch {
            throw ORASettingsError(.invalidConfiguration, "\(source): \(error.message)", underlying: error)
        }
    }
}

/// The modules whose configuration the current call is applying.
private enum ConfigurationInProgress {
    @TaskLocal static var modules: Set<ModuleID> = []
}

extension JSONValue {
    fileprivate var wholeNumber: Int64? { integer ?? string.flatMap { Int64($0) } }

    /// The value as a setting stores it; nil for null.
    fileprivate var settingText: String? { isNull ? nil : string ?? description }
}
