import HTTPMessages
import Testing

@Suite struct HTTPFieldNameTests {
    @Test func `case does not count, and is kept`() throws {
        let name = try HTTPFieldName("cOnTent-tYpe")
        #expect(name == .contentType)
        #expect(name.hashValue == HTTPFieldName.contentType.hashValue)
        #expect(name.spelling == "cOnTent-tYpe")
        #expect("\(name)" == "cOnTent-tYpe")
        #expect(name.canonical == "content-type")
        #expect(name != .contentLength)
    }

    @Test func `only tokens are names`() {
        for byte in UInt8(0)...255 where !byte.isHTTPTokenByte {
            let text = "X" + String(Unicode.Scalar(byte))
            let error = #expect(throws: HTTPMessageError.self) { try HTTPFieldName(text) }
            #expect(error?.code == .invalidFieldName)
        }
        #expect(throws: HTTPMessageError.self) { try HTTPFieldName("") }
    }

    @Test func `a whole line given for a name does not reach the error`() {
        let error = #expect(throws: HTTPMessageError.self) { try HTTPFieldName("Authorization: Bearer sesame") }
        #expect(error.map { "\($0)".contains("sesame") } == false)
    }
}
