import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct JSONResponseDecoderTests {
    @Test func `a type is decoded`() throws {
        let response = try sample(#"{"items":[{"name":"a","price":1.5}]}"#, type: "application/json; charset=utf-8")
        #expect(try response.decoded(as: .json(Basket.self)) == Basket(items: [Item(name: "a", price: 1.5)]))
    }

    @Test func `the decoder's settings are used`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let response = try sample("[0]")
        #expect(try response.decoded(as: .json([Date].self, decoder: decoder)) == [Date(timeIntervalSince1970: 0)])
        #expect(try response.decoded(as: .json([Date].self)) == [Date(timeIntervalSinceReferenceDate: 0)])
    }

    @Test func `a body slice is decoded from its start index`() throws {
        let body = Data(#"xx{"name":"a","price":1}"#.utf8).dropFirst(2)
        #expect(try sample(body).decoded(as: .json(Item.self)).name == "a")
    }

    @Test func `many threads can share one decoder`() async throws {
        let decoder = JSONResponseDecoder(Item.self)
        let sum = try await withThrowingTaskGroup(of: Double.self) { group in
            for number in 0..<100 {
                group.addTask { try decoder.decode(sample(#"{"name":"a","price":\#(number)}"#)).price }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 4950)
    }

    @Test func `deep or odd input does not trap`() throws {
        let bodies = [
            String(repeating: "[", count: 100_000), "{\"a\":" + String(repeating: "[", count: 600), "\u{0}",
            "\u{FEFF}\u{FEFF}1",
        ]
        for body in bodies {
            #expect(throws: ResponseDecodingError.self) { try sample(body).decoded(as: .json([Int].self)) }
            #expect(throws: ResponseDecodingError.self) { try sample(body).decoded(as: .jsonValue) }
        }
    }
}
