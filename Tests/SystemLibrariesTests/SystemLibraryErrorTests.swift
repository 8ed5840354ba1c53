import SystemLibraries
import Testing

@Suite struct SystemLibraryErrorTests {
    @Test func `names the library and the code`() {
        let error = SystemLibraryError(.missingLibrary, library: "libz.so.1", "It cannot be loaded.")
        #expect(error.description == "It cannot be loaded. [libz.so.1: missingLibrary]")
        #expect(error.code == .missingLibrary && error.code != .missingFunction)
    }
}
