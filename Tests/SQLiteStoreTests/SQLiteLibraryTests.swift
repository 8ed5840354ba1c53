import SQLiteStore
import StoreCore
import StoreTestSupport
import SystemLibraries
import Testing

@Suite struct SQLiteLibraryTests {
    @Test func `missing libraries are named`() throws {
        let library = SQLiteLibrary(loading: "libpatchbay-none.so.9")
        #expect(!library.isAvailable)
        #expect(library.versionNumber == nil)
        var configuration = SQLiteStore.Configuration()
        configuration.library = library
        let error = #expect(throws: StoreError.self) { try SQLiteStore(.memory, configuration: configuration) }
        #expect(error?.code == .libraryMissing)
        #expect(error?.message.contains("libpatchbay-none.so.9") == true)
        // That is the package of the system's library.
        #expect(error?.message.contains("libsqlite3-0") == false)
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
    func `a library that lacks functions because it is too old says so`() throws {
        let missing = "sqlite3_prepare_v3"
        for (version, text) in [(SQLiteVersion.old, "too old: version 3.15.2"), (nil, "Undefined symbol")] {
            let library = try FakeSQLite.without([missing], version: version)
            #expect(!library.isAvailable)
            var configuration = SQLiteStore.Configuration()
            configuration.library = library
            let error = #expect(throws: StoreError.self) { try SQLiteStore(.memory, configuration: configuration) }
            #expect(error?.code == .libraryMissing)
            #expect(error?.message.contains(text) == true && error?.message.contains("libsqlite3-0") == false)
        }
    }

    private enum SQLiteVersion { static let old: SQLiteFunctions.VersionNumber? = { 3_015_002 } }

    #if os(Linux)
        @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
        func `another library can be configured`() throws {
            var configuration = SQLiteStore.Configuration()
            configuration.library = SQLiteLibrary(loading: "libsqlite3.so.0")
            #expect(try SQLiteStore(.memory, configuration: configuration).rows("SELECT 1") == [[1]])
        }
    #endif
}
