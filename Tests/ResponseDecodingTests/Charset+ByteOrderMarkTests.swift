import Foundation
import Testing

@testable import ResponseDecoding

@Suite struct CharsetByteOrderMarkTests {
    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x61], "UTF-8", 3), ([0xFE, 0xFF], "UTF-16BE", 2), ([0xFF, 0xFE, 0x00], "UTF-16LE", 2),
        ] as [([UInt8], String, Int)])
    func `byte order marks are detected`(bytes: [UInt8], name: String, length: Int) throws {
        let mark = try #require(Charset.byteOrderMark(in: Data(bytes)))
        #expect(mark.charset.name == name)
        #expect(mark.length == length)
    }

    @Test(
        arguments: [[], [0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x61], [0xFE], [0xFF], [0xFF, 0xFF], [0x61]] as [[UInt8]])
    func `other bytes are not a byte order mark`(bytes: [UInt8]) {
        #expect(Charset.byteOrderMark(in: Data(bytes)) == nil)
    }

    @Test func `a slice is read from its start index`() {
        #expect(Charset.byteOrderMark(in: Data([1, 2, 0xEF, 0xBB, 0xBF]).dropFirst(2))?.length == 3)
    }
}
