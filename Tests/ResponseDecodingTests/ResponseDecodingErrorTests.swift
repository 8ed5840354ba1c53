import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct ResponseDecodingErrorTests {
    private struct Cause: Error { let text = "causesecret" }

    @Test func `the error has the parts of the response, and up to 1 KiB of the body`() throws {
        let response = try sample(Data(repeating: 0x61, count: 5000), status: .notFound)
        let error = ResponseDecodingError(.invalidJSON, "Wrong.", response: response, codingPath: "a[0]")
        #expect(error.status == .notFound)
        #expect(error.fields == response.fields)
        #expect(error.bodyPrefix == Data(repeating: 0x61, count: 1024))
        #expect(error.url == "https://example.com/items?id=7&access_token=<redacted>")
        #expect(error.codingPath == "a[0]")
    }

    @Test func `the body prefix of a slice is copied`() throws {
        let body = Data("xxab".utf8).dropFirst(2)
        let error = try ResponseDecodingError(.invalidJSON, "Wrong.", response: sample(body))
        #expect(error.bodyPrefix == Data("ab".utf8))
        #expect(error.bodyPrefix.startIndex == 0)
    }

    @Test func `the description has the method if known`() throws {
        var response = try sample("")
        response.head.method = .put
        let error = ResponseDecodingError(.emptyBody, "Empty.", response: response)
        #expect(error.request == "PUT https://example.com/items?id=7&access_token=<redacted>")
        #expect("\(error)".hasPrefix("\(error.request): 200 OK: Empty."))
    }

    @Test func `descriptions show no secrets`() throws {
        let error = ResponseDecodingError(
            .invalidText, "Wrong.", response: try sample("bodysecret", type: "text/x-typesecret"),
            charset: "charsetsecret", byteOffset: 3, underlying: Cause())
        var dumped = ""
        dump(error, to: &dumped)
        let expected =
            "https://example.com/items?id=7&access_token=<redacted>: 200 OK: Wrong. [invalidText]"
        #expect("\(error)" == expected)
        for text in ["\(error)", String(reflecting: error), dumped, "\(Optional(error) as Any)"] {
            #expect(!text.contains("secret") && !text.contains("sesame"), "\(text)")
        }
    }
}
