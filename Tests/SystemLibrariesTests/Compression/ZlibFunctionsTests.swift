import Testing

@testable import SystemLibraries

@Suite struct ZlibFunctionsTests {
    @Test func `the system has zlib`() throws {
        let version = try #require(try ZlibFunctions.system.get().version())
        #expect(String(cString: version).hasPrefix("1."))
    }

    @Test func `state has the size of z stream`() {
        // On 64-bit systems; zlib rejects any other size at initialization.
        #expect(MemoryLayout<ZlibStreamState>.size == 112)
    }

    #if !canImport(Darwin)
        @Test func `another library is an error`() {
            let error = #expect(throws: SystemLibraryError.self) { try ZlibFunctions.load(from: "libc.so.6") }
            #expect(error?.code == .missingFunction)
            #expect(error?.library == "libc.so.6")
        }

        @Test func `a missing zlib is an error`() {
            let error = #expect(throws: SystemLibraryError.self) { try ZlibFunctions.load(from: "libz-none.so.1") }
            #expect(error?.code == .missingLibrary)
        }
    #endif
}
