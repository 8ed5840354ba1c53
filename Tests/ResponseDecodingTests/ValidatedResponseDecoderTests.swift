import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct ValidatedResponseDecoderTests {
    @Test func `a response that passes is decoded`() throws {
        #expect(try sample("[1]").decoded(as: .validated(.jsonValue)) == ([1] as JSONValue))
        #expect(try TextResponseDecoder().validated().decode(sample("a")) == "a")
        #expect(try sample("a", status: .notFound).decoded(as: .validated(.text(), by: .none)) == "a")
    }

    @Test func `one that does not pass is not looked at`() throws {
        let error = #expect(throws: ResponseDecodingError.self) {
            try sample("not JSON", status: .notFound).decoded(as: .validated(.jsonValue))
        }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func `decoders can be nested`() throws {
        let empty = try sample("", status: .noContent)
        #expect(try empty.decoded(as: .validated(.optional(.json(Item.self)))) == nil)
        #expect(try empty.decoded(as: .optional(.validated(.json(Item.self)))) == nil)
    }
}
