import LocalStore
import SQLiteStore
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
        #expect(error?.message.contains("libsqlite3-0") == true)
    }

    #if os(Linux)
        @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
        func `another library can be configured`() throws {
            var configuration = SQLiteStore.Configuration()
            configuration.library = SQLiteLibrary(loading: "libsqlite3.so.0")
            #expect(try SQLiteStore(.memory, configuration: configuration).rows("SELECT 1") == [[1]])
        }
    #endif
}
