import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct OptionalResponseDecoderTests {
    @Test func `an empty body is nil`() throws {
        #expect(try sample("").decoded(as: .optional(.json(Item.self))) == nil)
        #expect(try JSONResponseDecoder(Item.self).orNil.decode(sample("")) == nil)
    }

    @Test func `a non-empty body is decoded`() throws {
        #expect(try sample("[1]").decoded(as: .optional(.jsonValue)) == ([1] as JSONValue))
        #expect(throws: ResponseDecodingError.self) { try sample(" ").decoded(as: .optional(.jsonValue)) }
    }
}
