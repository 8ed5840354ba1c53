import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct StreamDecodingErrorJSONTests {
    private func error<Value: Decodable & Sendable>(_ type: Value.Type, _ line: String) throws -> StreamDecodingError {
        var parser = NDJSONParser(type)
        parser.push(Data("\n\(line)\n".utf8))
        return try #require(throws: StreamDecodingError.self) { try parser.next() }
    }

    @Test(arguments: [
        (#"{"items":[{"name":"a","price":"linesecret"}]}"#, "items[0].price", "is not of the type Double"),
        (#"{"items":[{"name":"a"}]}"#, "items[0].price", "is missing"), ("[]", "", "is not an object"),
    ])
    func `the error of a mismatched value has its path`(line: String, path: String, problem: String) throws {
        let error = try error(Basket.self, line)
        #expect(error.code == .unexpectedValue)
        #expect(error.line == 2)
        #expect(error.codingPath == path)
        #expect(error.message == "\(path.isEmpty ? "The root value" : path) \(problem).")
        #expect(error.underlying is DecodingError)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `a syntax error has its offset`() throws {
        let error = try error(Basket.self, #"{"items":["linesecret]}"#)
        #expect(error.code == .invalidJSON)
        #expect(error.message.hasPrefix("Invalid JSON at byte 23: unexpected end, expected a character or a quote"))
        #expect(error.codingPath == nil)
        #expect(error.underlying is DecodingError)
        var parser = NDJSONParser(JSONValue.self)
        parser.push(Data("linesecret\n".utf8))
        let fault = #expect(throws: StreamDecodingError.self) { try parser.next() }
        #expect(fault?.message == "Invalid JSON at byte 0: expected a value.")
        #expect(fault?.underlying is JSONError)
    }

    @Test func `a value rejected by its type is not a syntax error`() throws {
        #expect(try error([Int8].self, "[300]").code == .unexpectedValue)
    }
}
