public import Foundation
import Synchronization

/// The file in which settings outlive the program. May be used from any thread.
///
/// It is read when a setting is first needed, and replaced as a whole with each change, so that a crash leaves the old
/// settings or the new ones. A file that holds something else is renamed to end in `damaged` and a number, and ``problem``
/// says so; one that cannot be read, as on a locked device, is left alone and tried again.
///
/// A store with an `oracle.json` applies the values of a module in it before it reads or stores the first value of that
/// module, so that the first launch of an app and later ones agree.
///
/// A file is for one store at a time: neither another store nor another process may write it meanwhile.
public final class ORASettingsStore: Sendable {
    fileprivate struct State {
        var file: URL
        /// Nil until the file could be read.
        var settings: StoredSettings?
        var problem: ORASettingsError?
        /// The modules for which the configuration was looked at, and whether values were stored.
        var configured: [ModuleID: Bool] = [:]
    }

    /// The program's store: `OracleCX.json` in a folder named after the program, within the folder for application
    /// support. It applies ``bundledConfiguration``.
    public static let shared = ORASettingsStore(
        file: URL.applicationSupport.appending(components: Bundle.main.name, "OracleCX.json"),
        configuration: bundledConfiguration)

    /// The `oracle.json` in the program's bundle, or nil.
    public static var bundledConfiguration: URL? {
        ["oracle", "Oracle"].lazy.compactMap { Bundle.main.url(forResource: $0, withExtension: "json") }.first
    }

    /// The `oracle.json` whose values the store applies, or nil.
    public let configuration: URL?
    private let state: Mutex<State>

    /// A store in a file.
    /// - Parameters:
    ///   - file: need not exist; folders are made when they are needed.
    ///   - configuration: an `oracle.json`, applied before the first value is read or stored; or nil.
    public init(file: URL, configuration: URL? = nil) {
        self.configuration = configuration
        state = Mutex(State(file: file))
    }

    /// The file. Setting it, such as to one in the folder of an app group, reads the settings that are there.
    public var file: URL {
        get { state.withLock(\.file) }
        set { state.withLock { $0 = State(file: newValue) } }
    }

    /// What went wrong last with the file, or with an `oracle.json` that was loaded by
    /// ``ORABaseDataContainer/loadFromConfigFile()``; or nil.
    public var problem: ORASettingsError? { state.withLock(\.problem) }

    /// Whether values of the configuration were stored for a module since ``file`` was set; nil before it was looked at.
    func configured(_ id: ModuleID) -> Bool? { state.withLock { $0.configured[id] } }

    /// The configuration was looked at for a module. The first result counts, of several threads at the same time.
    func setConfigured(_ id: ModuleID, _ isApplied: Bool) {
        state.withLock { state in
            state.configured[id] = isApplied || state.configured[id] == true
        }
    }

    /// Keeps a problem of a call that cannot throw.
    func report(_ problem: ORASettingsError) { state.withLock { $0.problem = problem } }

    /// - Throws: ``ORASettingsError`` (`unreadable`).
    func value(of key: ModuleKey) throws(ORASettingsError) -> String? {
        try state.withLock { state throws(ORASettingsError) in try state.loaded()[key] }
    }

    /// - Throws: ``ORASettingsError`` (`unreadable`, `unwritable`); then nothing changes.
    func set(_ value: String, for key: ModuleKey) throws(ORASettingsError) {
        try change { $0[key] = value }
    }

    /// Takes over the values of a configuration, all of them or none.
    /// - Returns: false when the version is not newer than the one that was loaded last.
    /// - Throws: ``ORASettingsError`` (`unreadable`, `unwritable`); then nothing changes.
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

    /// The file is read and written with the lock held: changes reach it in the order in which they are made.
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
            let (settings, damage) = try SettingsFile(url: file).read()
            self.settings = settings
            if let damage { problem = damage }
            return settings
        } catch {
            problem = error
            throw error
        }
    }

    fileprivate mutating func write(_ settings: StoredSettings) throws(ORASettingsError) {
        do throws(ORASettingsError) {
            try SettingsFile(url: file).write(settings)
            self.settings = settings
        } catch {
            problem = error
            throw error
        }
    }
}

extension URL {
    /// Each system that we know has such a folder.
    fileprivate static var applicationSupport: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }
}

extension Bundle {
    /// What tells programs apart whose settings are in one folder.
    fileprivate var name: String { bundleIdentifier ?? ProcessInfo.processInfo.processName }
}
