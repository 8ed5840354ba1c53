import Foundation
import PatchbayTestKit
import Queueing
import TestSupport
import Testing

@testable import OracleCX

@Suite struct ORABaseDataContainerLoadingTests {
    let folder: TemporaryFolder
    let store: ORASettingsStore
    var core: ORACoreDataContainer { ORACoreDataContainer(store: store) }

    init() throws {
        folder = try TemporaryFolder()
        store = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
    }

    private func configuration(_ version: String, background: String) -> Data {
        Data(
            #"{"config_version": \#(version), "ORACORE": {"ora_dc_http_background_task_enabled": \#(background)}}"#.utf8
        )
    }

    @Test func `a configuration is applied only if its version is higher, also at the next launch`() throws {
        let setting = ORAConfigHTTPBackgroundTaskEnabled()
        let steps: [(version: String, value: String, isApplied: Bool, then: String)] = [
            ("1", "true", true, "true"), ("1", "false", false, "true"), ("3", "false", true, "false"),
            ("2", "true", false, "false"), ("\"4\"", "\"true\"", true, "true"),
        ]
        for step in steps {
            let container = ORACoreDataContainer(store: ORASettingsStore(file: store.file))
            let load = try container.load(configuration(step.version, background: step.value))
            #expect(load.isApplied == step.isApplied, "\(step)")
            #expect(container.getValue(setting) == step.then, "\(step)")
        }
    }

    @Test func `a configuration overrides values stored before; values stored later override it`() throws {
        let setting = ORAConfigHTTPBackgroundTaskEnabled()
        core.putValue("true", forKey: setting)
        try #expect(core.load(configuration("1", background: "\"false\"")).isApplied)
        #expect(core.getValue(setting) == "false")
        core.putValue("true", forKey: setting)
        try #expect(!core.load(configuration("1", background: "\"false\"")).isApplied)
        #expect(core.getValue(setting) == "true")
    }

    @Test func `each module applies its own object and tracks its own version`() throws {
        let file = Data(
            #"{"config_version": 5, "ORACORE": {"ora_dc_http_background_task_enabled": true}, "MYMODULE": {"my_region": "south"}}"#
                .utf8)
        try #expect(core.load(file).isApplied)
        let program = ProgramContainer(store: store)
        #expect(program.getValue(Region()) == "north")
        try #expect(program.load(file).isApplied)
        #expect(program.getValue(Region()) == "south")
        try #expect(!ProgramContainer("OTHER", store: store).load(file).isApplied)
    }

    @Test func `a value rejected by its setting is left out; the others are stored`() throws {
        let file = Data(#"{"config_version": 1, "MYMODULE": {"my_region": "west", "other": "x"}}"#.utf8)
        let program = ProgramContainer(store: store)
        program.putValue("south", forKey: Region())
        try #expect(program.load(file).rejectedKeys == ["my_region"])
        #expect(program.getValue(Region()) == "south")
    }

    @Test func `values are stored as strings, also for unknown settings`() throws {
        final class Plain: ORAConfigSetting {
            let key: String
            init(_ key: String) { self.key = key }
            override func keyName() -> String { key }
        }
        try core.load(
            Data(
                #"""
                {"config_version": 1, "ORACORE": {"a": 7, "b": 1.50, "c": [{"ora_dc_retry_count": 3}], "d": null,
                "e": "x", "f": 12345678901234567890, "g": 1e2, "h": true}}
                """#.utf8))
        let table = [
            "a": "7", "b": "1.50", "c": #"[{"ora_dc_retry_count":3}]"#, "d": nil, "e": "x",
            "f": "12345678901234567890", "g": "1e2", "h": "true",
        ]
        for (key, value) in table { #expect(core.getValue(Plain(key)) == value, "\(key)") }
    }

    @Test(arguments: [
        "", "[]", "no JSON", "{}", #"{"ORACORE": {}}"#, #"{"config_version": 0, "ORACORE": {}}"#,
        #"{"config_version": -1, "ORACORE": {}}"#, #"{"config_version": 1.5, "ORACORE": {}}"#,
        #"{"config_version": "new", "ORACORE": {}}"#, #"{"config_version": 1, "ORACORE": []}"#,
    ])
    func `an invalid configuration is refused and changes nothing`(text: String) throws {
        let error = #expect(throws: ORASettingsError.self) { try core.load(Data(text.utf8)) }
        #expect(error?.code == .invalidConfiguration)
        try #expect(folder.names == [])
    }

    @Test func `a configuration may begin with a byte order mark`() throws {
        let file = Data([0xEF, 0xBB, 0xBF]) + configuration("1", background: "true")
        try #expect(core.load(file).isApplied)
        #expect(core.getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true")
    }

    @Test func `without an oracle.json nothing is loaded`() {
        #expect(!core.loadFromConfigFile() && store.lastError == nil)
    }

    /// Simulates a launch: a new store over the same files.
    private func launch(_ configuration: String?) throws -> ORASettingsStore {
        let file = folder.url.appending(path: "oracle.json")
        try? FileManager.default.removeItem(at: file)
        try configuration.map { try Data($0.utf8).write(to: file) }
        return ORASettingsStore(file: store.file, configuration: file)
    }

    @Test func `oracle.json is applied before the first value is stored`() throws {
        let setting = ORAConfigHTTPBackgroundTaskEnabled()
        let off = String(decoding: configuration("1", background: "\"false\""), as: UTF8.self)
        for _ in 0..<3 {
            let core = ORACoreDataContainer(store: try launch(off))
            // The app stores its value at each launch, before it uses the manager.
            #expect(core.putValue("true", forKey: setting))
            _ = HTTPManager(
                transport: ScriptedTransport([]), settings: core.store, lifecycle: ORAManualLifecycle())
            #expect(core.getValue(setting) == "true")
        }
        // A newer file overrides it.
        let newer = String(decoding: configuration("2", background: "false"), as: UTF8.self)
        #expect(ORACoreDataContainer(store: try launch(newer)).getValue(setting) == "false")
    }

    @Test func `oracle.json is applied before the first value is read, per module`() throws {
        let store = try launch(
            #"{"config_version": 1, "ORACORE": {"ora_dc_http_thread_count": 4}, "MYMODULE": {"my_region": "south"}}"#)
        let manager = HTTPManager(
            transport: ScriptedTransport([]), settings: store, lifecycle: ORAManualLifecycle())
        #expect(manager.queue.limits.maximumConcurrentPerKey == 4)
        #expect(ProgramContainer(store: store).getValue(Region()) == "south")
        #expect(ProgramContainer(store: store).loadFromConfigFile() && store.lastError == nil)
    }

    @Test func `oracle.json is applied before another configuration, and the newer one wins`() throws {
        let store = try launch(#"{"config_version": 1, "MYMODULE": {"my_region": "south", "other": "x"}}"#)
        let program = ProgramContainer(store: store)
        try #expect(program.load(Data(#"{"config_version": 2, "MYMODULE": {"my_region": "north"}}"#.utf8)).isApplied)
        #expect(program.getValue(Region()) == "north")
        let stored = try store.value(of: ModuleKey(module: ModuleID("MYMODULE"), key: "other"))
        #expect(stored == "x")
    }

    @Test func `validation can read values`() throws {
        let program = ReadingContainer(
            store: try launch(#"{"config_version": 1, "MYMODULE": {"my_region": "south"}}"#))
        #expect(program.getValue(Region()) == "south")
    }

    @Test(arguments: [
        (#"{"config_version": 1, "ORACORE": {"a": 1,}}"#, "Invalid JSON at byte 41"),
        ("", "Invalid JSON at byte 0"), ("[]", "the JSON is not an object"),
        (#"{"ORACORE": {}}"#, "config_version is missing"),
        (#"{"config_version": "new", "ORACORE": {}}"#, "config_version is not a positive integer"),
        (#"{"config_version": 1, "ORACORE": 7}"#, "the value of ORACORE is not an object"),
        (#"{"config_version": 1, "ORACORE": {"ora_dc_http_thread_count": "hush"}}"#, "ora_dc_http_thread_count"),
        (nil, "cannot be read"),
    ])
    func `an invalid oracle.json is reported with file and position, and is ignored`(text: String?, words: String)
        throws
    {
        let store = try launch(text)
        let core = ORACoreDataContainer(store: store)
        #expect(core.getValue(ORAConfigHTTPThreadCount()) == "1")
        let lastError = try #require(store.lastError)
        #expect(lastError.message.hasPrefix(folder.url.appending(path: "oracle.json").path))
        #expect(lastError.message.contains(words) && !lastError.message.contains("hush"), "\(lastError)")
        #expect(core.putValue("2", forKey: ORAConfigHTTPThreadCount()))
        #expect(core.getValue(ORAConfigHTTPThreadCount()) == "2")
        guard let file = store.configuration, !words.hasPrefix("ora_dc") else { return }
        let error = #expect(throws: ORASettingsError.self) { try core.load(contentsOf: file) }
        #expect(error?.message == lastError.message)
    }

    @Test func `settings that cannot be read are read again at the next access`() throws {
        let store = try launch(#"{"config_version": 1, "MYMODULE": {"my_region": "south"}}"#)
        // A directory at the file's path cannot be read.
        try FileManager.default.createDirectory(at: store.file, withIntermediateDirectories: false)
        let program = ProgramContainer(store: store)
        #expect(program.getValue(Region()) == "north" && store.lastError?.code == .unreadable)
        try FileManager.default.removeItem(at: store.file)
        #expect(program.getValue(Region()) == "south")
    }

    @Test func `lastError describes the error in oracle.json without values`() throws {
        let file = folder.url.appending(path: "oracle.json")
        let steps: [(text: String?, isLoaded: Bool, code: ORASettingsError.Code?, words: String)] = [
            (#"{"config_version": 1, "MYMODULE": {"my_region": "south"}}"#, true, nil, ""),
            (#"{"config_version": 1, "MYMODULE": {"my_region": "hush"}}"#, false, nil, ""),
            (#"{"config_version": 2, "MYMODULE": {"my_region": "hush", "b": 1}}"#, true, .invalidValue, "my_region"),
            (#"{"config_version": 2, "MYMODULE": "#, false, .invalidConfiguration, "JSON"),
            (nil, false, .unreadable, "oracle.json"),
        ]
        for step in steps {
            let store = ORASettingsStore(file: self.store.file)
            let program = ProgramContainer(store: store)
            try? FileManager.default.removeItem(at: file)
            try step.text.map { try Data($0.utf8).write(to: file) }
            #expect(program.loadConfigFile(file) == step.isLoaded, "\(step)")
            #expect(store.lastError?.code == step.code, "\(step)")
            #expect((store.lastError?.message ?? "").contains(step.words) || step.words.isEmpty)
            #expect(store.lastError?.message.contains("hush") != true)
            #expect(program.getValue(Region()) == "south")
        }
    }
}

/// A container whose `getConfig(_:)` reads a value.
private final class ReadingContainer: ORABaseDataContainer {
    override func getModuleId() -> String? { "MYMODULE" }
    override func getConfig(_ key: String) -> ORAConfigSetting? { getValue(Region()) == nil ? nil : Region() }
}
