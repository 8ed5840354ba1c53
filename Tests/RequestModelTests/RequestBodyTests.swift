import Foundation
import HTTPMessages
import RequestModel
import Testing

@Suite struct RequestBodyTests {
    private struct Item: Encodable {
        var name = "a/b"
        var id = 7
        var ratio = 0.5
    }

    private func text(_ body: RequestBody) async throws -> String {
        String(decoding: try await body.content.collect(), as: UTF8.self)
    }

    @Test func `has content and media type`() async throws {
        #expect(RequestBody.empty.isEmpty && RequestBody.empty.mediaType == nil)
        #expect(!RequestBody.bytes(Data()).isEmpty)
        #expect(RequestBody.bytes(Data()).mediaType == .octetStream)
        #expect(RequestBody.text("ä").mediaType == .plainText)
        #expect(try await text(.text("ä")) == "ä")
    }

    @Test func `writes JSON`() async throws {
        let value = try RequestBody.json(["b": [1, nil, "x"], "a": true])
        #expect(value.mediaType == .json)
        #expect(try await text(value) == #"{"a":true,"b":[1,null,"x"]}"#)
        #expect(try await text(.json(encoding: Item())) == #"{"id":7,"name":"a/b","ratio":0.5}"#)
    }

    @Test func `uses a custom encoder`() async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let body = try RequestBody.json(encoding: [Date(timeIntervalSince1970: 7)], with: encoder)
        #expect(try await text(body) == "[7]")
    }

    @Test func `encoding error does not quote the value`() throws {
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue("sesame", .init(codingPath: [], debugDescription: "sesame"))
            }
        }
        let error = #expect(throws: HTTPMessageError.self) { try RequestBody.json(encoding: ["outer": Failing()]) }
        #expect(error?.code == .invalidJSON && error?.description.contains("sesame") == false)
        #expect(throws: HTTPMessageError.self) { try RequestBody.json(.number(.nan)) }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `the error of infinity and NaN has the path and the reason`(ratio: Double) throws {
        let values = ["outer": [Item(ratio: ratio)]]
        let message =
            "Cannot encode type Dictionary<String, Array<Item>> as JSON at outer.Index 0.ratio: "
            + "it is infinity or NaN; replace the number."
        for encode in [
            { try RequestBody.json(encoding: values) }, { try RequestBody.json(encoding: values, with: JSONEncoder()) },
        ] {
            let error = #expect(throws: HTTPMessageError.self) { try encode() }
            #expect(error?.code == .invalidJSON && error?.message == message)
        }
    }

    @Test func `missing file is an error`() {
        let error = #expect(throws: HTTPMessageError.self) {
            try RequestBody.file(at: URL(filePath: "/nonexistent/patchbay"))
        }
        #expect(error?.code == .unreadableFile)
    }

    @Test func `descriptions show no bytes`() throws {
        let body = RequestBody.text("hunter2")
        #expect(body.description == "bytes, 7 bytes, text/plain")
        #expect(try body.encoded(.gzip).description.hasSuffix("text/plain, gzip"))
        var dumped = ""
        dump(body, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }
}
