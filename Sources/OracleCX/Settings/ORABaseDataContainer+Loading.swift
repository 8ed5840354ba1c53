public import Foundation
import HTTPMessages

// The name of the first method is the vendor's Android client's.

extension ORABaseDataContainer {
    /// Loads the values for this module from `oracle.json` in the program's bundle, if they are newer than those that
    /// were loaded last.
    ///
    /// ``ORAHTTPManager`` does that for the core module when it is first used. What is wrong with the file, or which values
    /// their settings refused, is in the store's ``ORASettingsStore/problem`` afterwards. A value that was refused is not
    /// looked at again before the file has a higher version.
    /// - Returns: true if values were stored; false also when there is no such file. ``load(_:)`` says more.
    @discardableResult
    public func loadFromConfigFile() -> Bool {
        let files = ["oracle", "Oracle"].lazy.compactMap { Bundle.main.url(forResource: $0, withExtension: "json") }
        return files.first.map(loadConfigFile) ?? false
    }

    /// - Returns: true if values were stored; the store's problem says why not, unless they are not newer.
    func loadConfigFile(_ file: URL) -> Bool {
        do throws(ORASettingsError) {
            let load = try load(contents(of: file))
            if load.isApplied, !load.refusedKeys.isEmpty {
                let keys = load.refusedKeys.joined(separator: ", ")
                store.report(
                    ORASettingsError(
                        .invalidValue,
                        "\(file.path) has values for \(keys) that these settings do not take; mend them, and raise config_version."
                    ))
            }
            return load.isApplied
        } catch {
            store.report(error)
            return false
        }
    }

    private func contents(of file: URL) throws(ORASettingsError) -> Data {
        do { return try Data(contentsOf: file) } catch {
            throw ORASettingsError(.unreadable, "\(file.path) cannot be read.", underlying: error)
        }
    }

    /// Loads the values for this module from the contents of an `oracle.json`, if they are newer than those that were
    /// loaded last.
    ///
    /// ```
    /// {"config_version": 2, "ORACORE": {"ora_dc_http_background_task_enabled": "true"}}
    /// ```
    /// A version is a whole number from 1 up, and each module remembers its own. Values are stored as texts: numbers and
    /// truth values as they are written, lists and objects as JSON; null says nothing. A value that its setting
    /// (``getConfig(_:)``) refuses is left out; one for a setting that is not known is stored, and checked when it is
    /// read. All values of the module are stored, or none.
    /// - Throws: ``ORASettingsError`` (`invalidConfiguration`, `invalidModuleID`, `unreadable`, `unwritable`).
    @discardableResult
    public func load(_ configuration: Data) throws(ORASettingsError) -> ORABulkLoad {
        let id = try ModuleID(getModuleId())
        guard let root = try? JSONValue(parsing: configuration), root.object != nil else {
            throw ORASettingsError(.invalidConfiguration, "The configuration is not a JSON object.")
        }
        guard let version = root["config_version"]?.wholeNumber, version >= 1 else {
            throw ORASettingsError(
                .invalidConfiguration, "The configuration needs a config_version, a whole number from 1 up.")
        }
        guard let module = root[id.text] else { return ORABulkLoad(isApplied: false, refusedKeys: []) }
        guard let members = module.object else {
            throw ORASettingsError(.invalidConfiguration, "The value of \(id.text) in the configuration is no object.")
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
}

extension JSONValue {
    fileprivate var wholeNumber: Int64? { integer ?? string.flatMap { Int64($0) } }

    /// The value as a setting stores it; nil for null.
    fileprivate var settingText: String? { isNull ? nil : string ?? description }
}
