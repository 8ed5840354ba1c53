import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct ResponseDecoderTests {
    private struct LengthDecoder: ResponseDecoder {
        func decode(_ response: HTTPResponse) -> Int { response.body.count }
    }

    @Test func `a custom decoder needs one method`() throws {
        #expect(try sample("abc").decoded(as: LengthDecoder()) == 3)
        #expect(try sample("abc").decoded(as: LengthDecoder().validated()) == 3)
    }

    @Test func `decoders can be stored by their output type`() throws {
        let decoders: [any ResponseDecoder<String>] = [TextResponseDecoder(), TextResponseDecoder(default: .utf16LE)]
        #expect(try decoders.map { try $0.decode(sample("ab")) } == ["ab", "\u{6261}"])
    }

    @Test func `all static members resolve`() throws {
        let response = try sample(#"{"name":"a","price":1}"#)
        #expect(try response.decoded(as: .json(Item.self)) == Item(name: "a", price: 1))
        #expect(try response.decoded(as: .json(Item.self, decoder: JSONDecoder())).price == 1)
        #expect(try response.decoded(as: .jsonValue) == (["name": "a", "price": 1] as JSONValue))
        #expect(try response.decoded(as: .text()).hasPrefix("{"))
        #expect(try response.decoded(as: .text(default: .windows1252, invalidBytes: .replace)).hasSuffix("}"))
        #expect(try response.decoded(as: .data).count == 22)
        try response.decoded(as: .empty)
    }
}
