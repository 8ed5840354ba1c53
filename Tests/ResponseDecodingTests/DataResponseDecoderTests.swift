import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct DataResponseDecoderTests {
    @Test func `the body is returned unchanged`() throws {
        let bytes = Data([0, 0xFF, 0x0A])
        #expect(try sample(bytes, status: .created).decoded(as: .data) == bytes)
        #expect(try sample(Data()).decoded(as: .data).isEmpty)
    }
}
