import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct JSONValueResponseDecoderTests {
    @Test func `any JSON is parsed`() throws {
        #expect(try sample(#"{"a":[1,1.0,null]}"#).decoded(as: .jsonValue) == (["a": [1, 1.0, nil]] as JSONValue))
        #expect(try sample("\"a\"").decoded(as: .jsonValue) == ("a" as JSONValue))
    }

    @Test func `a syntax error has its offset and does not quote the body`() throws {
        let error = #expect(throws: ResponseDecodingError.self) {
            try sample(#"["bodysecret",]"#).decoded(as: .jsonValue)
        }
        #expect(error?.code == .invalidJSON)
        #expect(error?.message.contains("byte 14") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }
}
