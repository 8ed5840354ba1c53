import Foundation
import OracleCX
import SystemLibraries
import TestSupport
import Testing

@Suite struct ORASettingsStoreTests {
    let folder: TemporaryFolder
    let store: ORASettingsStore
    let setting = ORAConfigHTTPBackgroundTaskEnabled()
    var core: ORACoreDataContainer { ORACoreDataContainer(store: store) }

    init() throws {
        folder = try TemporaryFolder()
        store = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
    }

    @Test func `folders are created at the first change`() throws {
        let deep = ORASettingsStore(file: folder.url.appending(path: "a/b/settings.json"))
        #expect(ORACoreDataContainer(store: deep).putValue("true", forKey: setting))
        #expect(deep.lastError == nil)
    }

    @Test func `the file is replaced atomically, without leftovers`() throws {
        for value in ["true", "false", "true"] { #expect(core.putValue(value, forKey: setting)) }
        try #expect(folder.names == ["settings.json"])
        let text = try String(contentsOf: store.file, encoding: .utf8)
        #expect(
            text
                == #"{"format":1,"modules":{"ORACORE":{"values":{"ora_dc_http_background_task_enabled":"true"},"version":0}}}"#
        )
    }

    @Test func `the file is for its owner only, and what a killed app has left is deleted`() throws {
        let rest = folder.url.appending(path: ".settings.json.new")
        try Data("left".utf8).write(to: rest)
        #expect(core.getValue(setting) == "false")
        try #expect(folder.names == [])
        try Data("left".utf8).write(to: rest)
        #expect(core.putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json"])
        try #expect(FileStatus(at: store.file.path).mode == 0o600)
    }

    @Test(arguments: [
        "", "no JSON", "[1]", "{}", #"{"format":2,"modules":{}}"#,
        #"{"format":1,"modules":{"ORACORE":{"values":{}}}}"#,
        #"{"format":1,"modules":{"ORACORE":{"version":1,"values":{"a":7}}}}"#,
    ])
    func `a damaged file is quarantined and reported`(text: String) throws {
        try Data(text.utf8).write(to: store.file)
        #expect(core.getValue(setting) == "false")
        #expect(store.lastError?.code == .damaged)
        #expect(store.lastError?.message.contains("damaged-1") == true)
        try #expect(folder.names == ["settings.json.damaged-1"])
        #expect(core.putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json", "settings.json.damaged-1"])
        let quarantined = folder.url.appending(path: "settings.json.damaged-1")
        try #expect(String(contentsOf: quarantined, encoding: .utf8) == text)

        try Data("again".utf8).write(to: store.file)
        #expect(ORACoreDataContainer(store: ORASettingsStore(file: store.file)).putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json", "settings.json.damaged-1", "settings.json.damaged-2"])
    }

    @Test func `a file that cannot be read is not touched, and is read again later`() throws {
        // A directory at the file's path cannot be read.
        try FileManager.default.createDirectory(at: store.file, withIntermediateDirectories: true)
        #expect(core.getValue(setting) == "false")
        #expect(store.lastError?.code == .unreadable)
        #expect(!core.putValue("true", forKey: setting))
        try #expect(folder.names == ["settings.json"])

        try FileManager.default.removeItem(at: store.file)
        #expect(core.putValue("true", forKey: setting))
        #expect(core.getValue(setting) == "true")
    }

    @Test func `if the file cannot be written, the settings are unchanged`() throws {
        let blocked = folder.url.appending(path: "blocked")
        try Data("a file".utf8).write(to: blocked)
        let store = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
        let core = ORACoreDataContainer(store: store)
        #expect(core.putValue("true", forKey: setting))
        // A directory at the file's path cannot be replaced.
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createDirectory(
            at: store.file.appending(path: "x"), withIntermediateDirectories: true)
        let error = #expect(throws: ORASettingsError.self) { try core.setValue("false", for: setting) }
        #expect(error?.code == .unwritable && error?.underlying != nil)
        #expect(store.lastError?.code == .unwritable)
        #expect(core.getValue(setting) == "true")
    }

    @Test func `the file can be changed; its settings are then read`() throws {
        let other = ORASettingsStore(file: folder.url.appending(path: "other.json"))
        #expect(ORACoreDataContainer(store: other).putValue("true", forKey: setting))
        #expect(core.getValue(setting) == "false")
        store.file = other.file
        #expect(core.getValue(setting) == "true")
    }
}
