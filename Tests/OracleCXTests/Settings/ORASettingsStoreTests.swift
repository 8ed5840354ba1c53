import Foundation
import OracleCX
import TestSupport
import Testing

@Suite("Oracle 10: the file of the settings") struct ORASettingsStoreTests {
    let folder: TemporaryFolder
    let store: ORASettingsStore
    let setting = ORAConfigHTTPBackgroundTaskEnabled()
    var core: ORACoreDataContainer { ORACoreDataContainer(store: store) }

    init() throws {
        folder = try TemporaryFolder()
        store = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
    }

    @Test("the program's file is in its own folder for application support") func place() {
        #expect(ORASettingsStore.shared.file.lastPathComponent == "OracleCX.json")
    }

    @Test("folders are made when something is stored") func folders() throws {
        let deep = ORASettingsStore(file: folder.url.appending(path: "a/b/settings.json"))
        #expect(ORACoreDataContainer(store: deep).putValue("true", forKey: setting))
        #expect(deep.problem == nil)
    }

    @Test("it is replaced as a whole, and nothing else is left behind") func atomic() throws {
        for value in ["true", "false", "true"] { #expect(core.putValue(value, forKey: setting)) }
        try #expect(folder.names == ["settings.json"])
        let text = try String(contentsOf: store.file, encoding: .utf8)
        #expect(
            text
                == #"{"format":1,"modules":{"ORACORE":{"values":{"ora_dc_http_background_task_enabled":"true"},"version":0}}}"#
        )
    }

    @Test(
        "a damaged one is set aside and reported, and never lost",
        arguments: [
            "", "no JSON", "[1]", "{}", #"{"format":2,"modules":{}}"#,
            #"{"format":1,"modules":{"ORACORE":{"values":{}}}}"#,
            #"{"format":1,"modules":{"ORACORE":{"version":1,"values":{"a":7}}}}"#,
        ])
    func damaged(text: String) throws {
        try Data(text.utf8).write(to: store.file)
        #expect(core.getValue(setting) == "false")
        #expect(store.problem?.code == .damaged)
        #expect(store.problem?.message.contains("damaged-1") == true)
        try #expect(folder.names == ["settings.json.damaged-1"])
        #expect(core.putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json", "settings.json.damaged-1"])
        let aside = folder.url.appending(path: "settings.json.damaged-1")
        try #expect(String(contentsOf: aside, encoding: .utf8) == text)

        try Data("again".utf8).write(to: store.file)
        #expect(ORACoreDataContainer(store: ORASettingsStore(file: store.file)).putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json", "settings.json.damaged-1", "settings.json.damaged-2"])
    }

    @Test("one that cannot be read is left alone, and tried again") func unreadable() throws {
        // A folder in its place cannot be read by anyone.
        try FileManager.default.createDirectory(at: store.file, withIntermediateDirectories: true)
        #expect(core.getValue(setting) == "false")
        #expect(store.problem?.code == .unreadable)
        #expect(!core.putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json"])

        try FileManager.default.removeItem(at: store.file)
        #expect(core.putValue("true", forKey: setting))
        #expect(core.getValue(setting) == "true")
    }

    @Test("when it cannot be written, the settings stay as they were") func unwritable() throws {
        let blocked = folder.url.appending(path: "blocked")
        try Data("a file".utf8).write(to: blocked)
        let store = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
        let core = ORACoreDataContainer(store: store)
        #expect(core.putValue("true", forKey: setting))
        // From here on there is a folder where the file has to go.
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createDirectory(
            at: store.file.appending(path: "x"), withIntermediateDirectories: true)
        let error = #expect(throws: ORASettingsError.self) { try core.setValue("false", for: setting) }
        #expect(error?.code == .unwritable && error?.underlying != nil)
        #expect(store.problem?.code == .unwritable)
        #expect(core.getValue(setting) == "true")
    }

    @Test("it can be moved to another place, with the settings that are there") func moved() throws {
        let other = ORASettingsStore(file: folder.url.appending(path: "other.json"))
        #expect(ORACoreDataContainer(store: other).putValue("true", forKey: setting))
        #expect(core.getValue(setting) == "false")
        store.file = other.file
        #expect(core.getValue(setting) == "true")
    }
}
