public import Foundation
import Synchronization
import SystemLibraries

/// Persistent settings in a JSON file. Thread-safe.
///
/// The file is read at first use and replaced atomically at each change. A damaged file is quarantined (renamed with
/// the extension `damaged-1`, `damaged-2`, ...) and reported in ``lastError``. A file that cannot be read, as on a
/// locked device, is not touched, and the next access tries again.
///
/// A store with an `oracle.json` applies its values of a module before it reads or stores the first value of that
/// module, so that the first launch of an app behaves like later ones.
///
/// Only one store, in one process, may use a file at a time.
public final class ORASettingsStore: Sendable {
    fileprivate struct State {
        var file: URL
        /// Nil until the file was read.
        var settings: StoredSettings?
        var lastError: ORASettingsError?
        /// Modules for which the configuration was processed, and whether values were stored.
        var configurationApplied: [ModuleID: Bool] = [:]
    }

    /// The shared store: `OracleCX.json` in a folder named after the app, in the application support folder, on tvOS in
    /// the caches folder. It applies ``bundledConfiguration``.
    public static let shared = ORASettingsStore(
        file: (UserFolder.applicationSupport.url ?? FileManager.default.temporaryDirectory).appending(
            components: Bundle.main.name, "OracleCX.json"),
        configuration: bundledConfiguration)

    /// The `oracle.json` in the app's bundle, or nil.
    public static var bundledConfiguration: URL? {
        ["oracle", "Oracle"].lazy.compactMap { Bundle.main.url(forResource: $0, withExtension: "json") }.first
    }

    /// The `oracle.json` that the store applies, or nil.
    public let configuration: URL?
    private let state: Mutex<State>

    /// Creates a store in a file.
    /// - Parameters:
    ///   - file: created with its folders at the first change.
    ///   - configuration: an `oracle.json`, applied before the first value is read or stored; or nil.
    public init(file: URL, configuration: URL? = nil) {
        self.configuration = configuration
        state = Mutex(State(file: file))
    }

    /// The file. Set it to use another one, such as in an app group; values are not carried over.
    public var file: URL {
        get { state.withLock(\.file) }
        set { state.withLock { $0 = State(file: newValue) } }
    }

    /// The last error of the settings file, or of an `oracle.json` loaded by
    /// ``ORABaseDataContainer/loadFromConfigFile()``; or nil.
    public var lastError: ORASettingsError? { state.withLock(\.lastError) }

    /// Whether the configuration stored values of a module since ``file`` was set; nil before it was processed.
    func isConfigurationApplied(to id: ModuleID) -> Bool? { state.withLock { $0.configurationApplied[id] } }

    /// Records that the configuration was processed for a module. If several threads did, true wins.
    func setConfigurationApplied(_ isApplied: Bool, to id: ModuleID) {
        state.withLock { state in
            state.configurationApplied[id] = isApplied || state.configurationApplied[id] == true
        }
    }

    /// Records the error of a call that cannot throw.
    func record(_ error: ORASettingsError) { state.withLock { $0.lastError = error } }

    /// - Throws: ``ORASettingsError`` (`unreadable`).
    func value(of key: ModuleKey) throws(ORASettingsError) -> String? {
        try state.withLock { state throws(ORASettingsError) in try state.loaded()[key] }
    }

    /// - Throws: ``ORASettingsError`` (`unreadable`, `unwritable`); nothing changes then.
    func set(_ value: String, for key: ModuleKey) throws(ORASettingsError) {
        try change { $0[key] = value }
    }

    /// Stores the values of a configuration atomically.
    /// - Returns: false if the version is not higher than the last applied.
    /// - Throws: ``ORASettingsError`` (`unreadable`, `unwritable`); nothing changes then.
    func load(_ values: [String: String], version: Int64, into id: ModuleID) throws(ORASettingsError) -> Bool {
        try change { settings in
            var module = settings.modules[id.text] ?? StoredSettings.Module()
            guard version > module.version else { return false }
            module.version = version
            module.values.merge(values) { _, new in new }
            settings.modules[id.text] = module
            return true
        }
    }

    /// Reads and writes the file with the lock held, so that changes reach it in order.
    private func change<Result: Sendable>(
        _ body: (inout StoredSettings) -> Result
    ) throws(ORASettingsError) -> Result {
        try state.withLock { state throws(ORASettingsError) in
            let before = try state.loaded()
            var after = before
            let result = body(&after)
            if after != before { try state.write(after) }
            return result
        }
    }
}

extension ORASettingsStore.State {
    fileprivate mutating func loaded() throws(ORASettingsError) -> StoredSettings {
        if let settings { return settings }
        do throws(ORASettingsError) {
            let (settings, damageError) = try SettingsFile(url: file).read()
            self.settings = settings
            if let damageError { lastError = damageError }
            return settings
        } catch {
            lastError = error
            throw error
        }
    }

    fileprivate mutating func write(_ settings: StoredSettings) throws(ORASettingsError) {
        do throws(ORASettingsError) {
            try SettingsFile(url: file).write(settings)
            self.settings = settings
        } catch {
            lastError = error
            throw error
        }
    }
}

extension Bundle {
    /// Distinguishes apps that share an application support folder.
    fileprivate var name: String { bundleIdentifier ?? ProcessInfo.processInfo.processName }
}
