import Foundation
import OracleCX
import TestSupport
import Testing

@Suite(.needsSlot) struct ORABaseDataContainerTests {
    let folder: TemporaryFolder
    let store: ORASettingsStore

    init() throws {
        folder = try TemporaryFolder()
        store = ORASettingsStore(file: folder.url.appending(path: "settings.json"))
    }

    @Test func `a value that was never stored has its default, and reading writes nothing`() throws {
        #expect(ORACoreDataContainer(store: store).getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "false")
        #expect(ProgramContainer(store: store).getValue(Region()) == "north")
        #expect(ProgramContainer(store: store).getValue(Nameless()) == nil)
        try #expect(folder.names == [])
    }

    @Test func `stored values are shared by all containers of the module and persist`() {
        let core = ORACoreDataContainer(store: store)
        #expect(core.putValue("true", forKey: ORAConfigHTTPBackgroundTaskEnabled()))
        #expect(core.getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true")
        #expect(ORACoreDataContainer(store: store).getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true")
        let nextLaunch = ORASettingsStore(file: store.file)
        #expect(ORACoreDataContainer(store: nextLaunch).getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true")
    }

    @Test func `an invalid value is not stored`() throws {
        let container = ProgramContainer(store: store)
        #expect(container.putValue("south", forKey: Region()))
        #expect(!container.putValue("west", forKey: Region()))
        #expect(container.getValue(Region()) == "south")
        let error = #expect(throws: ORASettingsError.self) { try container.setValue("hush", for: Region()) }
        #expect(error?.code == .invalidValue)
        #expect(error?.description.contains("my_region") == true)
        #expect(error?.description.contains("hush") == false)
    }

    @Test func `a setting without a key cannot be stored`() {
        let container = ProgramContainer(store: store)
        #expect(!container.putValue("x", forKey: Nameless()))
        #expect(throws: ORASettingsError.self) { try container.setValue("x", for: Nameless()) }
    }

    @Test func `modules have separate values`() {
        #expect(ProgramContainer("A1", store: store).putValue("south", forKey: Region()))
        #expect(ProgramContainer("A2", store: store).getValue(Region()) == "north")
        #expect(ProgramContainer("a1", store: store).getValue(Region()) == "north")
    }

    @Test(arguments: [
        ("ORACORE", true), ("a", true), ("7", true), (nil, false), ("", false), ("ORA_CORE", false),
        ("my module", false),
        ("a.b", false), ("../x", false), ("é", false), ("٣", false), ("a\n", false),
    ])
    func `a module id is ASCII letters and digits; with an invalid one nothing is stored`(id: String?, isValid: Bool)
        throws
    {
        let container = ProgramContainer(id, store: store)
        #expect(container.putValue("south", forKey: Region()) == isValid)
        #expect(container.getValue(Region()) == (isValid ? "south" : "north"))
        guard !isValid else { return }
        let error = #expect(throws: ORASettingsError.self) { try container.setValue("south", for: Region()) }
        #expect(error?.code == .invalidModuleID)
        #expect(throws: ORASettingsError.self) { try container.load(Data(#"{"config_version": 1}"#.utf8)) }
        try #expect(folder.names == [])
    }

    @Test func `a stored value that is no longer valid gives the default`() throws {
        final class AnyRegion: ORAConfigSetting {
            override func keyName() -> String { "my_region" }
        }
        let container = ProgramContainer(store: store)
        #expect(container.putValue("west", forKey: AnyRegion()))
        #expect(container.getValue(AnyRegion()) == "west")
        #expect(container.getValue(Region()) == "north")
    }

    @Test func `many threads store values, and none is lost`() {
        final class Numbered: ORAConfigSetting {
            let number: Int
            init(_ number: Int) { self.number = number }
            override func keyName() -> String { "key_\(number)" }
        }
        let store = store
        DispatchQueue.concurrentPerform(iterations: 64) { number in
            #expect(ProgramContainer(store: store).putValue("\(number)", forKey: Numbered(number)))
        }
        let nextLaunch = ProgramContainer(store: ORASettingsStore(file: store.file))
        for number in 0..<64 { #expect(nextLaunch.getValue(Numbered(number)) == "\(number)") }
    }
}
