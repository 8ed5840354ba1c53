import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct ValidatedResponseDecoderTests {
    @Test func `an accepted response is decoded`() throws {
        #expect(try sample("[1]").decoded(as: .validated(.jsonValue)) == ([1] as JSONValue))
        #expect(try TextResponseDecoder().validated().decode(sample("a")) == "a")
        #expect(try sample("a", status: .notFound).decoded(as: .validated(.text(), by: .none)) == "a")
    }

    @Test func `a rejected response is not decoded`() throws {
        let error = #expect(throws: ResponseDecodingError.self) {
            try sample("not JSON", status: .notFound).decoded(as: .validated(.jsonValue))
        }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func `the default validation accepts only 2xx`() throws {
        #expect(try sample("a", status: .created).decoded(as: .text()) == "a")
        let error = #expect(throws: ResponseDecodingError.self) {
            try sample("a", status: .notFound).decoded(as: TextResponseDecoder().orNil)
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(throws: ResponseDecodingError.self) { try sample("a", status: .seeOther).decoded(as: .data) }
        #expect(throws: ResponseDecodingError.self) { try sample("a", status: .notFound).decoded(as: .empty) }
        let accepting = ResponseValidation.standard.accepting(.notFound)
        #expect(try sample("a", status: .notFound).decoded(as: .validated(.text(), by: accepting)) == "a")
        #expect(try sample("", status: .notFound).decoded(as: .optional(.validated(.text(), by: accepting))) == nil)
    }

    @Test func `decoders compose`() throws {
        let empty = try sample("", status: .noContent)
        #expect(try empty.decoded(as: .validated(.optional(.json(Item.self)))) == nil)
        #expect(try empty.decoded(as: .optional(.validated(.json(Item.self)))) == nil)
    }
}
