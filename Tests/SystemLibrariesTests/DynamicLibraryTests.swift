import Testing

@testable import SystemLibraries

@Suite struct DynamicLibraryTests {
    @Test func `a missing library is named`() {
        let error = #expect(throws: SystemLibraryError.self) { try DynamicLibrary("libpatchbay-none.so.9") }
        #expect(error?.code == .missingLibrary)
        #expect(error?.library == "libpatchbay-none.so.9")
        #expect(error?.message.contains("libpatchbay-none.so.9") == true)
    }

    @Test func `a missing function is named`() throws {
        let library = try DynamicLibrary(ZlibFunctions.libraryName)
        let error = #expect(throws: SystemLibraryError.self) {
            try library.function("patchbay_none", as: ZlibFunctions.Version.self)
        }
        #expect(error?.code == .missingFunction)
        #expect(error?.message.contains("patchbay_none") == true)
    }
}
