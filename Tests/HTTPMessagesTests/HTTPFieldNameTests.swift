import HTTPMessages
import Testing

@Suite struct HTTPFieldNameTests {
    @Test func `comparison ignores case, which is preserved`() throws {
        let name = try HTTPFieldName("cOnTent-tYpe")
        #expect(name == .contentType)
        #expect(name.hashValue == HTTPFieldName.contentType.hashValue)
        #expect(name.rawName == "cOnTent-tYpe")
        #expect("\(name)" == "cOnTent-tYpe")
        #expect(name.canonicalName == "content-type")
        #expect(name != .contentLength)
    }

    @Test func `only tokens are valid names`() {
        for byte in UInt8(0)...255 where !byte.isHTTPTokenByte {
            let text = "X" + String(Unicode.Scalar(byte))
            let error = #expect(throws: HTTPMessageError.self) { try HTTPFieldName(text) }
            #expect(error?.code == .invalidFieldName)
        }
        #expect(throws: HTTPMessageError.self) { try HTTPFieldName("") }
    }

    @Test func `the error does not quote an invalid name`() {
        let error = #expect(throws: HTTPMessageError.self) { try HTTPFieldName("Authorization: Bearer sesame") }
        #expect(error.map { "\($0)".contains("sesame") } == false)
    }
}
