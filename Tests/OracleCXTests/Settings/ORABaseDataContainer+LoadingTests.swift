import Foundation
import TestSupport
import Testing

@testable import OracleCX

@Suite("Oracle 10: oracle.json") struct ORABaseDataContainerLoadingTests {
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

    @Test("is loaded when it is newer than what was loaded last, also at the next launch") func versions() throws {
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

    @Test("wins over what the program stored before; the program wins afterwards") func program() throws {
        let setting = ORAConfigHTTPBackgroundTaskEnabled()
        core.putValue("true", forKey: setting)
        try #expect(core.load(configuration("1", background: "\"false\"")).isApplied)
        #expect(core.getValue(setting) == "false")
        core.putValue("true", forKey: setting)
        try #expect(!core.load(configuration("1", background: "\"false\"")).isApplied)
        #expect(core.getValue(setting) == "true")
    }

    @Test("each module takes its own object and remembers its own version") func modules() throws {
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

    @Test("a value that its setting refuses is left out, the others are stored") func refused() throws {
        let file = Data(#"{"config_version": 1, "MYMODULE": {"my_region": "west", "other": "x"}}"#.utf8)
        let program = ProgramContainer(store: store)
        program.putValue("south", forKey: Region())
        try #expect(program.load(file).refusedKeys == ["my_region"])
        #expect(program.getValue(Region()) == "south")
    }

    @Test("values are stored as texts, also of settings that are not known here") func texts() throws {
        final class Plain: ORAConfigSetting {
            let key: String
            init(_ key: String) { self.key = key }
            override func keyName() -> String { key }
        }
        try core.load(
            Data(
                #"""
                {"config_version": 1, "ORACORE": {"a": 7, "b": 1.5, "c": [{"ora_dc_retry_count": 3}], "d": null, "e": "x"}}
                """#.utf8))
        let table = ["a": "7", "b": "1.5", "c": #"[{"ora_dc_retry_count":3}]"#, "d": nil, "e": "x"]
        for (key, value) in table { #expect(core.getValue(Plain(key)) == value, "\(key)") }
    }

    @Test(
        "anything else is refused and changes nothing",
        arguments: [
            "", "[]", "no JSON", "{}", #"{"ORACORE": {}}"#, #"{"config_version": 0, "ORACORE": {}}"#,
            #"{"config_version": -1, "ORACORE": {}}"#, #"{"config_version": 1.5, "ORACORE": {}}"#,
            #"{"config_version": "new", "ORACORE": {}}"#, #"{"config_version": 1, "ORACORE": []}"#,
        ])
    func rubbish(text: String) throws {
        let error = #expect(throws: ORASettingsError.self) { try core.load(Data(text.utf8)) }
        #expect(error?.code == .invalidConfiguration)
        try #expect(folder.names == [])
    }

    @Test("a program without one loads nothing") func noFile() {
        #expect(!core.loadFromConfigFile() && store.problem == nil)
    }

    @Test("what is wrong with the program's file is kept, in words that help and without values") func problems() throws
    {
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
            #expect(store.problem?.code == step.code, "\(step)")
            #expect((store.problem?.message ?? "").contains(step.words) || step.words.isEmpty)
            #expect(store.problem?.message.contains("hush") != true)
            #expect(program.getValue(Region()) == "south")
        }
    }
}
