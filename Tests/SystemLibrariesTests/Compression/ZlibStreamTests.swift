import Foundation
import Testing

@testable import SystemLibraries

@Suite struct ZlibStreamTests {
    @Test func `failed initialization is an error`() throws {
        let functions = try ZlibFunctions.system.get()
        let error = #expect(throws: SystemLibraryError.self) {
            try ZlibStream(functions: functions, end: functions.inflateEnd) { _, _, _ in -6 }
        }
        #expect(error?.code == .failed)
    }

    @Test func `zlib rejects a state of another size`() throws {
        let functions = try ZlibFunctions.system.get()
        #expect(throws: SystemLibraryError.self) {
            try ZlibStream(functions: functions, end: functions.inflateEnd) { state, version, size in
                functions.inflateInit(state, 15, version, size - 8)
            }
        }
    }

    @Test func `a piece is at most one mebibyte`() throws {
        let deflater = try Deflater(level: 0)
        deflater.supply(Data(repeating: 7, count: 3 << 20))
        #expect(try deflater.read(atMost: .max)?.count == 1 << 20)
    }
}
