import Foundation
import ResponseDecoding
import Testing

@Suite struct StreamDecodingErrorTests {
    private struct Cause: Error { let text = "causesecret" }

    @Test func `descriptions do not quote the stream`() {
        let error = StreamDecodingError(
            .invalidText, "Wrong.", line: 7, linePrefix: Data("linesecret".utf8), byteOffset: 3, underlying: Cause())
        #expect("\(error)" == "Line 7: Wrong. [invalidText]")
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped, "\(Optional(error) as Any)"] {
            #expect(!text.contains("secret") && text.contains("Line 7"), "\(text)")
        }
        #expect("\(StreamDecodingError(.lineTooLong, "Long.", line: 0))" == "Long. [lineTooLong]")
    }

    @Test func `the error has a copy of up to 1 KiB of the line`() {
        let line = Data("xx".utf8) + Data(repeating: 0x61, count: 5000)
        let error = StreamDecodingError(.invalidJSON, "Wrong.", line: 1, linePrefix: line.dropFirst(2))
        #expect(error.linePrefix == Data(repeating: 0x61, count: 1024))
        #expect(error.linePrefix.startIndex == 0)
    }
}
