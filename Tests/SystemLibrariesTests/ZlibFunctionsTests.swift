import Testing

@testable import SystemLibraries

@Suite struct ZlibFunctionsTests {
    @Test func theSystemHasZlib() throws {
        let version = try #require(try ZlibFunctions.system.get().version())
        #expect(String(cString: version).hasPrefix("1."))
    }

    @Test func stateHasTheSizeOfZStream() {
        // On 64-bit systems; zlib rejects any other size at initialization.
        #expect(MemoryLayout<ZlibStreamState>.size == 112)
    }

    #if !canImport(Darwin)
        @Test func anotherLibraryIsAnError() {
            let error = #expect(throws: SystemLibraryError.self) { try ZlibFunctions.load(from: "libc.so.6") }
            #expect(error?.code == .missingFunction)
            #expect(error?.library == "libc.so.6")
        }

        @Test func aMissingZlibIsAnError() {
            let error = #expect(throws: SystemLibraryError.self) { try ZlibFunctions.load(from: "libz-none.so.1") }
            #expect(error?.code == .missingLibrary)
        }
    #endif
}
