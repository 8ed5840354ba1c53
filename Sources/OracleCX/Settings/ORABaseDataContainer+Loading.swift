public import Foundation
import HTTPMessages

// `loadFromConfigFile` is named as in the vendor's Android client.

extension ORABaseDataContainer {
    /// Applies this module's values from the app's `oracle.json`, if its version is newer.
    ///
    /// The shared store does this before it reads or stores the first value of a module, so calling it is optional. A
    /// missing or invalid file and rejected values are reported in ``ORASettingsStore/lastError``. A rejected value is
    /// not tried again until the file has a higher version.
    /// - Returns: true if values were stored since launch; false also if there is no such file.
    @discardableResult
    public func loadFromConfigFile() -> Bool {
        if store.configuration != nil {
            applyConfiguration()
            return (try? ModuleID(getModuleId())).flatMap(store.isConfigurationApplied(to:)) ?? false
        }
        return ORASettingsStore.bundledConfiguration.map(loadConfigFile) ?? false
    }

    /// Applies the store's `oracle.json`, once per module.
    ///
    /// Several threads may do this at the same time: the version check lets only one of them change values.
    func applyConfiguration() {
        guard let file = store.configuration, let id = try? ModuleID(getModuleId()),
            store.isConfigurationApplied(to: id) == nil,
            !ConfigurationInProgress.modules.contains(id)
        else { return }
        // `getConfig(_:)` and `isValid(_:)` may read values, which would recurse.
        let modules = ConfigurationInProgress.modules.union([id])
        switch ConfigurationInProgress.$modules.withValue(modules, operation: { apply(file) }) {
        case .success(let isApplied):
            store.setConfigurationApplied(isApplied, to: id)
        case .failure(let error):
            // After a read or write error, the next access tries again.
            if error.code != .unreadable, error.code != .unwritable { store.setConfigurationApplied(false, to: id) }
        }
    }

    /// - Returns: true if values were stored; otherwise the file is not newer, or the store's `lastError` is set.
    func loadConfigFile(_ file: URL) -> Bool { (try? apply(file).get()) ?? false }

    /// Applies a file and records its errors in the store.
    private func apply(_ file: URL) -> Result<Bool, ORASettingsError> {
        let result = Result { () throws(ORASettingsError) in try load(contentsOf: file) }
        switch result {
        case .success(let load) where load.isApplied && !load.rejectedKeys.isEmpty:
            let keys = load.rejectedKeys.joined(separator: ", ")
            store.record(
                ORASettingsError(
                    .invalidValue,
                    "\(file.path): invalid values for \(keys); correct them and raise config_version."))
        case .success: break
        case .failure(let error): store.record(error)
        }
        return result.map(\.isApplied)
    }

    /// Applies this module's values from an `oracle.json` file, as ``load(_:)`` does.
    /// - Throws: ``ORASettingsError`` (`invalidConfiguration`, `invalidModuleID`, `unreadable`, `unwritable`), naming
    ///   the file and the position of the error.
    @discardableResult
    public func load(contentsOf file: URL) throws(ORASettingsError) -> ORAConfigurationLoadResult {
        applyConfiguration()
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ORASettingsError(.unreadable, "\(file.path) cannot be read.", underlying: error)
        }
        return try load(data, from: file.path)
    }

    /// Applies this module's values from `oracle.json` contents, if their version is newer.
    ///
    /// ```
    /// {"config_version": 2, "ORACORE": {"ora_dc_http_background_task_enabled": "true"}}
    /// ```
    /// The version is a positive integer; the last applied one is stored per module. Values are stored as strings:
    /// numbers and Booleans as written, arrays and objects as JSON; null is skipped. A value rejected by its setting
    /// (``getConfig(_:)``) is left out; a value of an unknown setting is stored, and validated when it is read. The
    /// values are stored atomically.
    /// - Throws: ``ORASettingsError`` (`invalidConfiguration`, `invalidModuleID`, `unreadable`, `unwritable`).
    @discardableResult
    public func load(_ configuration: Data) throws(ORASettingsError) -> ORAConfigurationLoadResult {
        // The same order as at every launch: the store's own file first.
        applyConfiguration()
        return try load(configuration, from: "The configuration")
    }

    /// - Parameter source: name of the configuration in errors.
    private func load(_ configuration: Data, from source: String) throws(ORASettingsError) -> ORAConfigurationLoadResult
    {
        let id = try ModuleID(getModuleId())
        let root = try parse(configuration, from: source)
        guard let modules = root.object else {
            throw ORASettingsError(.invalidConfiguration, "\(source): the JSON is not an object.")
        }
        guard let version = modules["config_version"]?.integerValue, version >= 1 else {
            let reason = modules["config_version"].map { _ in "is not a positive integer" } ?? "is missing"
            throw ORASettingsError(.invalidConfiguration, "\(source): config_version \(reason).")
        }
        guard let module = modules[id.text] else {
            return ORAConfigurationLoadResult(isApplied: false, rejectedKeys: [])
        }
        guard let members = module.object else {
            throw ORASettingsError(.invalidConfiguration, "\(source): the value of \(id.text) is not an object.")
        }
        var values: [String: String] = [:]
        var rejected: [String] = []
        for (key, value) in members {
            guard let text = value.settingText else { continue }
            if getConfig(key)?.isValid(text) ?? true { values[key] = text } else { rejected.append(key) }
        }
        let isApplied = try store.load(values, version: version, into: id)
        return ORAConfigurationLoadResult(isApplied: isApplied, rejectedKeys: rejected.sorted())
    }

    private func parse(_ configuration: Data, from source: String) throws(ORASettingsError) -> JSONText {
        // Some editors save a byte order mark.
        let mark = Data([0xEF, 0xBB, 0xBF])
        do {
            return try JSONText(parsing: configuration.starts(with: mark) ? configuration.dropFirst(3) : configuration)
        } catch {
            throw ORASettingsError(.invalidConfiguration, "\(source): \(error.message)", underlying: error)
        }
    }
}

/// The result of loading a configuration.
public struct ORAConfigurationLoadResult: Hashable, Sendable {
    /// Whether the version was newer and the configuration has an object for the module.
    public let isApplied: Bool
    /// Keys whose values were rejected by their `isValid(_:)`, sorted; their settings are unchanged.
    public let rejectedKeys: [String]
}

/// The modules whose configuration the current task is applying, to stop recursion.
private enum ConfigurationInProgress {
    @TaskLocal static var modules: Set<ModuleID> = []
}

extension JSONText {
    private var value: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }

    fileprivate var integerValue: Int64? { value.integer ?? value.string.flatMap { Int64($0) } }

    /// The value in its stored form, a string; nil for null.
    fileprivate var settingText: String? {
        switch value {
        case .null: nil
        case .string(let text): text
        case .bool, .integer, .number: String(decoding: bytes, as: UTF8.self)
        case .array, .object: value.description
        }
    }
}
